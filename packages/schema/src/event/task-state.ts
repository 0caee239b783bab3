/** The states of a task that we send, in A2A 0.3's spelling. */
export type TaskState =
  | "submitted"
  | "working"
  | "input-required"
  | "completed"
  | "failed"
  | "canceled";

const moves: Readonly<Record<TaskState, readonly TaskState[]>> = {
  submitted: ["working"],
  working: ["input-required", "completed", "failed", "canceled"],
  "input-required": ["working", "completed", "failed", "canceled"],
  // A finished task goes on when another message names it (RFC-27).
  completed: ["working"],
  failed: ["working"],
  canceled: ["working"],
};

/** Whether a task may go from one state to another; staying is always allowed. */
export function canMoveTask(from: TaskState, to: TaskState): boolean {
  return from === to || moves[from].includes(to);
}

/** Whether a task has ended, for now. */
export function isTerminalState(state: TaskState): boolean {
  return state === "completed" || state === "failed" || state === "canceled";
}

/** Whether the agent does nothing until someone sends something. */
export function isRestingState(state: TaskState): boolean {
  return state === "input-required" || isTerminalState(state);
}
