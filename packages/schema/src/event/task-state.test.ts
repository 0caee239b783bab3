import { expect, test } from "vitest";
import { canMoveTask, isTerminalState, isWaitingState, type TaskState } from "./task-state.js";

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
