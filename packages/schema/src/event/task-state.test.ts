import { expect, test } from "vitest";
import {
  addTransition,
  canMoveTask,
  isTaskState,
  isTerminalState,
  isWaitingState,
  type StateTransition,
  type TaskState,
} from "./task-state.js";

const states: readonly TaskState[] = [
  "submitted",
  "working",
  "input-required",
  "completed",
  "failed",
  "canceled",
];

const moves: Readonly<Record<TaskState, readonly TaskState[]>> = {
  submitted: ["working"],
  working: ["input-required", "completed", "failed", "canceled"],
  "input-required": ["working", "completed", "failed", "canceled"],
  completed: ["working"],
  failed: ["working"],
  canceled: ["working"],
};

const rows = states.flatMap((from) =>
  states.filter((to) => to !== from).map((to) => [from, to, moves[from].includes(to)] as const),
);

test.each(rows)("canMoveTask from %s to %s is %s [SRV-07]", (from, to, isAllowed) => {
  expect(canMoveTask(from, to)).toBe(isAllowed);
});

test("rejected and auth-required are not states of ours", () => {
  expect(states.every(isTaskState)).toBe(true);
  expect(["rejected", "auth-required", "unknown", "toString"].filter(isTaskState)).toEqual([]);
});

test("a transition is added only if the state is new, and the oldest ones are dropped", () => {
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

test.each(states)("a task may stay %s", (state) => {
  expect(canMoveTask(state, state)).toBe(true);
});

test("three states are terminal, and the agent also waits in input-required [SRV-07]", () => {
  expect(states.filter(isTerminalState)).toEqual(["completed", "failed", "canceled"]);
  expect(states.filter(isWaitingState)).toEqual([
    "input-required",
    "completed",
    "failed",
    "canceled",
  ]);
});
