import { expect, test } from "vitest";
import {
  areTurnsIdle,
  findNextTurn,
  type GeminiPrompt,
  type GeminiTurns,
  NO_TURNS,
} from "./gemini-turns.js";

const first: GeminiPrompt = { messageId: "m1", parts: [] };
const second: GeminiPrompt = { messageId: "m2", parts: [] };
const ended = { state: "completed", isClosed: false } as const;
const queued: GeminiTurns = { ...NO_TURNS, queue: [first, second] };

test.each<[string, GeminiTurns, Parameters<typeof findNextTurn>[1], unknown]>([
  ["the oldest prompt of an idle task", queued, ended, first],
  ["nothing while a stream is read", { ...queued, stream: {} }, ended, undefined],
  ["nothing while another turn begins", { ...queued, isBeginning: true }, ended, undefined],
  ["nothing while a turn runs", queued, { ...ended, state: "working" }, undefined],
  ["nothing while a turn asks", queued, { ...ended, state: "input-required" }, undefined],
  ["nothing if no prompt is queued", NO_TURNS, ended, undefined],
  ["'discard' if the peer closed the task", queued, { ...ended, isClosed: true }, "discard"],
  ["nothing in a closed task without a queue", NO_TURNS, { ...ended, isClosed: true }, undefined],
])("findNextTurn() returns %s", (_, turns, task, expected) => {
  expect(findNextTurn(turns, task)).toBe(expected);
});

test.each<[string, boolean, GeminiTurns, "completed" | "working"]>([
  ["a completed task without turns", true, NO_TURNS, "completed"],
  ["a working task", false, NO_TURNS, "working"],
  ["a task with an open stream", false, { ...NO_TURNS, stream: {} }, "completed"],
  ["a task whose turn begins", false, { ...NO_TURNS, isBeginning: true }, "completed"],
  ["a task with queued prompts", false, queued, "completed"],
])("areTurnsIdle() for %s returns %s", (_, expected, turns, state) => {
  expect(areTurnsIdle(turns, { ...ended, state })).toBe(expected);
});
