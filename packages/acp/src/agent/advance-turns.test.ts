import { type SessionEvent, type TaskState, TURN_CANCELLED } from "@dt/schema";
import { buildEvent } from "@dt/schema/testing";
import { expect, test } from "vitest";
import { advanceTurns, type Turns } from "./advance-turns.js";

const origin = { principal: "terminal", name: "terminal" };
const waiting = (...texts: string[]): Turns =>
  texts.map((text, index) => ({ id: index + 1, text, isSilent: false }));
const prompted = (text: string, messageId = text, principal = "terminal") =>
  buildEvent({
    kind: "USER_PROMPT",
    messageId,
    parts: [{ type: "text", text }],
    origin: { ...origin, principal },
  });
const queued = (...texts: string[]) =>
  buildEvent({
    kind: "QUEUE",
    prompts: texts.map((text) => ({ messageId: text, text, origin })),
  });
const became = (state: TaskState, more: object = {}): SessionEvent => ({
  ...buildEvent({ kind: "STATE_CHANGE", ...more }),
  state,
});

function run(turns: Turns, events: readonly SessionEvent[]) {
  const outcomes: string[] = [];
  let current = turns;
  for (const event of events) {
    const { turns: next, ended } = advanceTurns(
      current,
      event,
      ({ origin: from }) => from.principal === "terminal",
    );
    current = next;
    outcomes.push(...ended.map(({ id, outcome }) => `${id} ${outcome.type}`));
  }
  return { outcomes, open: current.map(({ id }) => id) };
}

test.each<[name: string, turns: Turns, events: readonly SessionEvent[], outcomes: string[]]>([
  [
    "the open task is idle",
    waiting("a"),
    [prompted("a"), became("input-required")],
    ["1 completed"],
  ],
  ["the task completes", waiting("a"), [prompted("a"), became("completed")], ["1 completed"]],
  [
    "the turn is cancelled",
    waiting("a"),
    [prompted("a"), became("input-required", { error: TURN_CANCELLED })],
    ["1 cancelled"],
  ],
  ["the task is canceled", waiting("a"), [prompted("a"), became("canceled")], ["1 cancelled"]],
  [
    "the turn fails",
    waiting("a"),
    [prompted("a"), became("input-required", { error: "no" })],
    ["1 failed"],
  ],
  ["the task is rejected", waiting("a"), [prompted("a"), became("rejected")], ["1 failed"]],
  [
    "the prompt leaves the queue and does not run",
    waiting("a", "b"),
    [prompted("a"), queued("b"), queued(), became("working")],
    ["2 cancelled"],
  ],
  [
    "the prompt leaves the queue and its task completes",
    waiting("a", "b"),
    [
      prompted("a"),
      queued("b"),
      became("input-required"),
      queued(),
      prompted("b"),
      became("completed"),
    ],
    ["1 completed", "2 completed"],
  ],
  [
    "its task ends, although another prompt has the same text",
    waiting("a", "a"),
    [prompted("a", "m1"), became("completed"), prompted("a", "m2"), became("failed")],
    ["1 completed", "2 failed"],
  ],
])("the turn of an editor's prompt ends when %s", (_, turns, events, outcomes) => {
  expect(run(turns, events)).toMatchObject({ outcomes });
});

test.each<[name: string, events: readonly SessionEvent[]]>([
  ["a question of the turn is open", [prompted("a"), became("input-required", { waiting: [{}] })]],
  ["somebody else's turn ends", [prompted("a", "m", "phone"), became("completed")]],
  ["another task ends", [prompted("a"), { ...became("completed"), taskId: "other" }]],
])("the turn of an editor's prompt continues when %s", (_, events) => {
  expect(run(waiting("a"), events)).toEqual({ outcomes: [], open: [1] });
});
