import { expect, test } from "vitest";
import { answeredHistory } from "./answered-history.js";
import type { HistoryItem, ToolResult } from "./history.js";

const asks = (...ids: readonly string[]): HistoryItem => ({
  role: "model",
  parts: ids.map((toolCallId) => ({
    type: "tool-request",
    request: { toolCallId, toolName: "read_file", input: {} },
  })),
});
const result = (toolCallId: string, text = "ok"): ToolResult => ({
  toolCallId,
  toolName: "read_file",
  text,
  isError: false,
});

test("results follow their requests directly, in the order of the requests", () => {
  const history = answeredHistory([
    asks("1", "2"),
    { role: "tool", results: [result("2")] },
    { role: "tool", results: [result("1")] },
  ]);

  expect(history).toEqual([asks("1", "2"), { role: "tool", results: [result("1"), result("2")] }]);
});

test("a request without a result gets a result that reports an interruption", () => {
  const prompt: HistoryItem = { role: "user", parts: [] };

  expect(answeredHistory([asks("1"), prompt])).toEqual([
    asks("1"),
    {
      role: "tool",
      results: [
        { ...result("1", "the call was interrupted; its outcome is unknown"), isError: true },
      ],
    },
    prompt,
  ]);
});

test("a result without a request is left out of the history", () => {
  const said: HistoryItem = { role: "model", parts: [{ type: "text", text: "hello" }] };

  expect(answeredHistory([said, { role: "tool", results: [result("9")] }])).toEqual([said]);
});
