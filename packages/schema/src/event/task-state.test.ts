import { expect, test } from "vitest";
import {
  addTransition,
  canMoveTask,
  isInterruptedState,
  isTaskState,
  isTerminalState,
  isWaitingState,
  pathBetween,
  type StateTransition,
  type TaskState,
  toDocumentState,
} from "./task-state.js";

const states: readonly TaskState[] = [
  "submitted",
  "working",
  "input-required",
  "completed",
  "failed",
  "canceled",
  "rejected",
  "auth-required",
];

const moves: Readonly<Record<TaskState, readonly TaskState[]>> = {
  submitted: ["working", "rejected"],
  working: ["input-required", "auth-required", "completed", "failed", "canceled", "rejected"],
  "input-required": ["working", "completed", "failed", "canceled"],
  completed: ["working"],
  failed: ["working"],
  canceled: ["working"],
  rejected: ["working"],
  "auth-required": ["working"],
};

const rows = states.flatMap((from) =>
  states.filter((to) => to !== from).map((to) => [from, to, moves[from].includes(to)] as const),
);

test.each(rows)("canMoveTask from %s to %s is %s [SRV-07]", (from, to, isAllowed) => {
  expect(canMoveTask(from, to)).toBe(isAllowed);
});

test('A2A\'s state "unknown" is not one of our task states', () => {
  expect(states.every(isTaskState)).toBe(true);
  expect(["unknown", "toString"].filter(isTaskState)).toEqual([]);
});

test("a transition is added only if the state has changed, and the oldest ones are dropped", () => {
  let transitions: readonly StateTransition[] = [];
  for (let index = 0; index < 1_200; index += 1) {
    const state = index % 2 === 0 ? "working" : "input-required";
    transitions = addTransition(transitions, { state, at: String(index) });
    transitions = addTransition(transitions, { state, at: "again" });
  }

  expect(transitions).toHaveLength(1_000);
  expect(transitions[0]).toEqual({ state: "working", at: "200" });
  expect(transitions.at(-1)).toEqual({ state: "input-required", at: "1199" });
});

test.each(states)("a task may stay in the state %s", (state) => {
  expect(canMoveTask(state, state)).toBe(true);
});

test("four states are terminal, two are interrupted, and the agent waits in all six [SRV-07]", () => {
  expect(states.filter(isTerminalState)).toEqual(["completed", "failed", "canceled", "rejected"]);
  expect(states.filter(isInterruptedState)).toEqual(["input-required", "auth-required"]);
  expect(states.filter(isWaitingState)).toEqual([
    "input-required",
    "completed",
    "failed",
    "canceled",
    "rejected",
    "auth-required",
  ]);
});

const reachable = rows.filter(([, to]) => to !== "submitted");

test.each(reachable)("every step of the path from %s to %s is allowed [SRV-07]", (from, to) => {
  const path = pathBetween(from, to);
  const steps = path.map((state, index) => [path[index - 1] ?? from, state] as const);

  expect(path.at(-1)).toBe(to);
  expect(steps.filter(([before, after]) => !canMoveTask(before, after))).toEqual([]);
});

test("toDocumentState shows rejected as failed and auth-required as input-required [SRV-07]", () => {
  const changed = states.filter((state) => toDocumentState(state) !== state);

  expect(changed.map((state) => [state, toDocumentState(state)])).toEqual([
    ["rejected", "failed"],
    ["auth-required", "input-required"],
  ]);
});
