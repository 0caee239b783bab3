import type { Part } from "@dt/schema";
import { expect, test } from "vitest";
import type { HistoryItem } from "../history.js";
import { toOpenaiRequest } from "./to-openai-request.js";

test("a request has the system prompt and the tools, and asks for token counts", () => {
  const parameters = { type: "object" };

  const request = toOpenaiRequest("qwen3", {
    history: [{ role: "user", parts: [{ type: "text", text: "hi" }] }],
    tools: [{ name: "glob", description: "finds files", parameters }],
    system: "be brief",
  });

  expect(request).toEqual({
    model: "qwen3",
    messages: [
      { role: "system", content: "be brief" },
      { role: "user", content: "hi" },
    ],
    tools: [
      { type: "function", function: { name: "glob", description: "finds files", parameters } },
    ],
    stream: true,
    stream_options: { include_usage: true },
  });
});

test("a request without tools has no list of tools", () => {
  expect(toOpenaiRequest("qwen3", { history: [], tools: [] })).not.toHaveProperty("tools");
});

test.each<[name: string, part: Part, sent: unknown]>([
  [
    "with its bytes",
    { type: "file", bytes: "aGk=", mediaType: "image/png" },
    { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } },
  ],
  [
    "with its URL",
    { type: "file", uri: "https://x.example/a.png", mediaType: "image/png" },
    { type: "image_url", image_url: { url: "https://x.example/a.png" } },
  ],
])("an image %s is sent after the text", (_, part, sent) => {
  const parts: readonly Part[] = [{ type: "text", text: "see" }, part];

  const { messages } = toOpenaiRequest("m", { history: [{ role: "user", parts }], tools: [] });

  expect(messages).toEqual([{ role: "user", content: [{ type: "text", text: "see" }, sent] }]);
});

test("data and files that are not images are sent as text", () => {
  const parts: readonly Part[] = [
    { type: "text", text: "see" },
    { type: "data", data: { a: 1 } },
    { type: "file", bytes: "AA==", name: "a.bin" },
  ];

  const { messages } = toOpenaiRequest("m", { history: [{ role: "user", parts }], tools: [] });

  expect(messages).toEqual([
    {
      role: "user",
      content: 'see\n{"a":1}\n[attached file a.bin: its content cannot be shown here]',
    },
  ]);
});

test("tool calls and their results are matched by id", () => {
  const history: readonly HistoryItem[] = [
    {
      role: "model",
      parts: [
        { type: "text", text: "I " },
        { type: "text", text: "look." },
        {
          type: "tool-request",
          request: { toolCallId: "c1", toolName: "glob", input: { pattern: "*" } },
        },
        { type: "tool-request", request: { toolCallId: "c2", toolName: "glob", input: {} } },
      ],
    },
    {
      role: "tool",
      results: [
        { toolCallId: "c1", toolName: "glob", text: "a.txt", isError: false },
        { toolCallId: "c2", toolName: "glob", text: "no pattern", isError: true },
      ],
    },
  ];

  const { messages } = toOpenaiRequest("m", { history, tools: [] });

  expect(messages).toEqual([
    {
      role: "assistant",
      content: "I look.",
      tool_calls: [
        { id: "c1", type: "function", function: { name: "glob", arguments: '{"pattern":"*"}' } },
        { id: "c2", type: "function", function: { name: "glob", arguments: "{}" } },
      ],
    },
    { role: "tool", tool_call_id: "c1", content: "a.txt" },
    { role: "tool", tool_call_id: "c2", content: "error: no pattern" },
  ]);
});
