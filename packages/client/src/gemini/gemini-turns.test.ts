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
const waiting: GeminiTurns = { ...NO_TURNS, queue: [first, second] };

test.each<[string, GeminiTurns, Parameters<typeof findNextTurn>[1], unknown]>([
  ["is the oldest prompt", waiting, ended, first],
  ["is none while a stream is read", { ...waiting, stream: {} }, ended, undefined],
  ["is none while another begins", { ...waiting, isBeginning: true }, ended, undefined],
  ["is none while a turn runs", waiting, { ...ended, state: "working" }, undefined],
  ["is none while a turn asks", waiting, { ...ended, state: "input-required" }, undefined],
  ["is none if no prompt waits", NO_TURNS, ended, undefined],
  ["is discarded if the peer closed the task", waiting, { ...ended, isClosed: true }, "discard"],
  ["is none in a closed task without a queue", NO_TURNS, { ...ended, isClosed: true }, undefined],
])("the next turn %s", (_, turns, task, expected) => {
  expect(findNextTurn(turns, task)).toBe(expected);
});

test.each<[string, GeminiTurns, "completed" | "working", boolean]>([
  ["a completed task without turns", NO_TURNS, "completed", true],
  ["a working task", NO_TURNS, "working", false],
  ["a task with an open stream", { ...NO_TURNS, stream: {} }, "completed", false],
  ["a task whose turn begins", { ...NO_TURNS, isBeginning: true }, "completed", false],
  ["a task with queued prompts", waiting, "completed", false],
])("areTurnsIdle decides about %s", (_, turns, state, expected) => {
  expect(areTurnsIdle(turns, { ...ended, state })).toBe(expected);
});
