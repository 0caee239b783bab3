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

test.each<[Partial<TurnProgress>, string]>([
  [{ steps: 10 }, "after 10 steps"],
  [{ workMs: 1_000 }, "after 1 s of work"],
  [{ usage }, "after 100 tokens"],
])("a turn that reaches a limit must stop: %j", (progress, words) => {
  expect(find(progress)).toContain(words);
});

test.each<[string, readonly HistoryItem[], boolean]>([
  ["the same call twice", [calls("a"), calls("a")], true],
  ["a cycle of three", ["a", "b", "c", "a", "b", "c"].map((name) => calls(name)), true],
  ["a cycle of four", ["a", "b", "c", "d", "a", "b", "c", "d"].map((name) => calls(name)), false],
  ["one call once", [calls("a")], false],
  ["two calls in another order", [calls("a", "b"), calls("b", "a")], false],
  ["answers without calls", [calls(), calls()], false],
  ["a prompt in between", [calls("a"), prompt, calls("a")], false],
])("detects cycles of calls: %s", (_, history, expected) => {
  expect(find({ history })?.includes("same calls 2 times") ?? false).toBe(expected);
});

test("calls of earlier turns do not count", () => {
  expect(find({ steps: 1, history: [calls("a"), calls("a")] })).toBeUndefined();
});

test("the default limits are generous", () => {
  expect(DEFAULT_TURN_LIMITS).toEqual({
    maxSteps: 200,
    maxWorkMs: 14_400_000,
    maxTokens: 20_000_000,
    maxRepeats: 5,
  });
});
