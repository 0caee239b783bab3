import { expect, test } from "vitest";
import {
  advanceTurns,
  findNextTurn,
  type GeminiPrompt,
  type GeminiTurns,
  isAtRest,
  judgeStreamEnd,
  NO_TURNS,
  type TurnMove,
  type TurnStreamEnd,
  type TurnsTask,
} from "./gemini-turns.js";

const first: GeminiPrompt = { messageId: "m1", parts: [] };
const second: GeminiPrompt = { messageId: "m2", parts: [] };
const full: GeminiTurns = { opened: 2, stream: 2, isBeginning: false, queue: [first, second] };

test.each<[TurnMove, Partial<GeminiTurns>]>([
  [{ type: "stream-opened" }, { opened: 3, stream: 3 }],
  [{ type: "stream-over" }, { stream: undefined }],
  [{ type: "beginning" }, { isBeginning: true }],
  [{ type: "begun" }, { isBeginning: false }],
  [{ type: "queued", prompt: first }, { queue: [first, second, first] }],
  [{ type: "dequeued" }, { queue: [second] }],
  [{ type: "discarded" }, { queue: [] }],
])("turns advance by %o", (move, changed) => {
  expect(advanceTurns(full, move)).toEqual({ ...full, ...changed });
});

test("a stream that is over does not get its number again", () => {
  const moves: readonly TurnMove[] = [
    { type: "stream-opened" },
    { type: "stream-over" },
    { type: "stream-opened" },
  ];

  expect(moves.reduce(advanceTurns, NO_TURNS).stream).toBe(2);
});

const ended: TurnsTask = { isEnded: true, isClosed: false };
const waiting: GeminiTurns = { ...NO_TURNS, queue: [first, second] };

test.each<[string, GeminiTurns, TurnsTask, ReturnType<typeof findNextTurn>]>([
  ["is the oldest prompt", waiting, ended, first],
  ["is none while a stream is read", { ...waiting, stream: 1 }, ended, undefined],
  ["is none while another begins", { ...waiting, isBeginning: true }, ended, undefined],
  ["is none while a turn runs", waiting, { ...ended, isEnded: false }, undefined],
  ["is none if no prompt waits", NO_TURNS, ended, undefined],
  ["is discarded if the peer closed the task", waiting, { ...ended, isClosed: true }, "discard"],
  ["is none in a closed task without a queue", NO_TURNS, { ...ended, isClosed: true }, undefined],
])("the next turn %s", (_, turns, task, expected) => {
  expect(findNextTurn(turns, task)).toBe(expected);
});

test.each<[GeminiTurns, boolean, boolean]>([
  [NO_TURNS, true, true],
  [NO_TURNS, false, false],
  [{ ...NO_TURNS, stream: 1 }, true, false],
  [{ ...NO_TURNS, isBeginning: true }, true, false],
  [waiting, true, false],
])("turns %o of a task that has ended (%s) are at rest: %s", (turns, isEnded, expected) => {
  expect(isAtRest(turns, isEnded)).toBe(expected);
});

const cut: TurnStreamEnd = { isClosing: false, isSilent: true, hasFailed: false, wasShown: true };

test.each<[Partial<TurnStreamEnd>, ReturnType<typeof judgeStreamEnd>]>([
  [{}, "at-rest"],
  [{ isSilent: false }, "lost"],
  [{ hasFailed: true }, "lost"],
  [{ wasShown: false }, "lost"],
  [{ isClosing: true }, "left"],
])("a stream that ended with %o is judged %s", (end, expected) => {
  expect(judgeStreamEnd({ ...cut, ...end })).toBe(expected);
});
