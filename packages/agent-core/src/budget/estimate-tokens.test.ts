import { expect, test } from "vitest";
import type { HistoryItem } from "../model/history.js";
import { estimateInputTokens, estimatePartTokens } from "./estimate-tokens.js";

const user = (text: string): HistoryItem => ({ role: "user", parts: [{ type: "text", text }] });
const reply: HistoryItem = { role: "model", parts: [{ type: "text", text: "x".repeat(30_000) }] };

test("the input of a first request is estimated from its size", () => {
  const request = { history: [user("a".repeat(3_000))], tools: [], system: "b".repeat(300) };

  const tokens = estimateInputTokens({ request, contextTokens: 0 });

  expect(tokens).toBeGreaterThanOrEqual(1_100);
  expect(tokens).toBeLessThan(1_200);
});

test("the tokens up to the last reply are those that the vendor counted", () => {
  const request = { history: [user("go"), reply, user("a".repeat(300))], tools: [] };

  const tokens = estimateInputTokens({ request, contextTokens: 2_000 });

  expect(tokens).toBeGreaterThanOrEqual(2_100);
  expect(tokens).toBeLessThan(2_200);
});

test("the size of an image does not change its number of tokens", () => {
  const bytes = "A".repeat(300_000);
  const image = { type: "file", mediaType: "image/png", bytes } as const;
  const result = { toolCallId: "1", toolName: "look", text: "", isError: false };
  const history: HistoryItem[] = [
    { role: "user", parts: [image] },
    { role: "tool", results: [{ ...result, image: { mediaType: "image/png", bytes } }] },
  ];

  const tokens = estimateInputTokens({ request: { history, tools: [] }, contextTokens: 0 });

  expect(Math.floor(tokens / 4_096)).toBe(2);
});

test("notices are not part of a reply", () => {
  expect(estimatePartTokens({ type: "notice", text: "trying again" })).toBe(0);
  expect(estimatePartTokens({ type: "text", text: "hello" })).toBeGreaterThan(0);
});
