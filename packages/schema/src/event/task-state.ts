/** States of a task that we send, in A2A 0.3's spelling. */
export type TaskState =
  | "submitted"
  | "working"
  | "input-required"
  | "completed"
  | "failed"
  | "canceled";

/** A change of a task's state, and its time in ISO 8601. */
export interface StateTransition {
  readonly state: TaskState;
  readonly at: string;
}

const MOVES: Readonly<Record<TaskState, readonly TaskState[]>> = {
  submitted: ["working"],
  working: ["input-required", "completed", "failed", "canceled"],
  "input-required": ["working", "completed", "failed", "canceled"],
  // A completed task continues if another message names it.
  completed: ["working"],
  failed: ["working"],
  canceled: ["working"],
};

/** Returns true if a state is one of ours. */
export function isTaskState(state: string): state is TaskState {
  return Object.hasOwn(MOVES, state);
}

/** Maximum number of transitions that are kept of one task; older ones are dropped. */
const MAX_TRANSITIONS = 1_000;

/** Adds the state of an event to the transitions of its task, if the state is new. */
export function addTransition(
  transitions: readonly StateTransition[],
  { state, at }: StateTransition,
): readonly StateTransition[] {
  if (transitions.at(-1)?.state === state) return transitions;
  return [...transitions.slice(1 - MAX_TRANSITIONS), { state, at }];
}

/** Returns true if a task may move from one state to another. It may always stay in its state. */
export function canMoveTask(from: TaskState, to: TaskState): boolean {
  return from === to || MOVES[from].includes(to);
}

/** Returns true if a task has ended. A later message may continue it. */
export function isTerminalState(state: TaskState): boolean {
  return state === "completed" || state === "failed" || state === "canceled";
}

/** Returns true if the agent waits for a message, before or after the end of the task. */
export function isWaitingState(state: TaskState): boolean {
  return state === "input-required" || isTerminalState(state);
}
