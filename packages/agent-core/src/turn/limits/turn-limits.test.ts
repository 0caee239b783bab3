import { expect, test } from "vitest";
import type { HistoryItem } from "../../model/history.js";
import { DEFAULT_TURN_LIMITS, findLimit, type TurnProgress } from "./turn-limits.js";

const calls = (...names: readonly string[]): HistoryItem => ({
  role: "model",
  parts: names.map((toolName) => ({
    type: "tool-request",
    request: { toolCallId: toolName, toolName, input: {} },
  })),
});
const prompt: HistoryItem = { role: "user", parts: [] };
const usage = { inputTokens: 40, outputTokens: 30, thoughtTokens: 30, cachedTokens: 99 };
const limits = { maxSteps: 10, maxWorkMs: 1_000, maxTokens: 100, maxRepeats: 2 };

function find(progress: Partial<TurnProgress>): string | undefined {
  return findLimit({ steps: 9, workMs: 999, usage: undefined, history: [], ...progress }, limits);
}

test("a turn below its limits may continue", () => {
  expect(find({ usage: { ...usage, outputTokens: 29 } })).toBeUndefined();
});

test.each<[string, Partial<TurnProgress>]>([
  ["limit of 10 steps", { steps: 10 }],
  ["limit of 1 s of work", { workMs: 1_000 }],
  ["limit of 100 tokens", { usage }],
])("a turn stops at its %s", (words, progress) => {
  expect(find(progress)).toContain(words);
});

test.each<[string, string, readonly HistoryItem[]]>([
  ["detects a cycle in", "the same call twice", [calls("a"), calls("a")]],
  [
    "detects a cycle in",
    "a sequence of three calls that repeats",
    ["a", "b", "c", "a", "b", "c"].map((name) => calls(name)),
  ],
  [
    "detects no cycle in",
    "a sequence of four calls that repeats",
    ["a", "b", "c", "d", "a", "b", "c", "d"].map((name) => calls(name)),
  ],
  ["detects no cycle in", "a single call", [calls("a")]],
  ["detects no cycle in", "the same calls in another order", [calls("a", "b"), calls("b", "a")]],
  ["detects no cycle in", "replies without calls", [calls(), calls()]],
  ["detects no cycle in", "equal calls around a prompt", [calls("a"), prompt, calls("a")]],
])("findLimit %s %s", (verb, _name, history) => {
  const hasFound = find({ history })?.includes("same calls 2 times") ?? false;

  expect(hasFound).toBe(verb === "detects a cycle in");
});

test("findLimit ignores calls of earlier turns when it looks for a cycle", () => {
  expect(find({ steps: 1, history: [calls("a"), calls("a")] })).toBeUndefined();
});

test("the default limits allow long turns", () => {
  expect(DEFAULT_TURN_LIMITS).toEqual({
    maxSteps: 200,
    maxWorkMs: 14_400_000,
    maxTokens: 20_000_000,
    maxRepeats: 5,
  });
});
