/**
 * States of a task, in A2A 0.3's spelling. The source documents have no `rejected` and no
 * `auth-required`; their dialects send `failed` and `input-required` instead.
 */
export type TaskState =
  | "submitted"
  | "working"
  | "input-required"
  | "completed"
  | "failed"
  | "canceled"
  | "rejected"
  | "auth-required";

/** A change of a task's state, and its time in ISO 8601. */
export interface StateTransition {
  readonly state: TaskState;
  readonly at: string;
}

const MOVES: Readonly<Record<TaskState, readonly TaskState[]>> = {
  submitted: ["working", "rejected"],
  working: ["input-required", "auth-required", "completed", "failed", "canceled", "rejected"],
  "input-required": ["working", "completed", "failed", "canceled"],
  // A completed task works again if a later message contains the id of the task.
  completed: ["working"],
  failed: ["working"],
  canceled: ["working"],
  rejected: ["working"],
  "auth-required": ["working"],
};

/** Returns true if a text is a {@link TaskState}. */
export function isTaskState(state: string): state is TaskState {
  return Object.hasOwn(MOVES, state);
}

/** Maximum number of transitions that are kept of one task; older transitions are dropped. */
const MAX_TRANSITIONS = 1_000;

/** Adds the state of an event to the transitions of its task, if the state differs from the last one. */
export function addTransition(
  transitions: readonly StateTransition[],
  { state, at }: StateTransition,
): readonly StateTransition[] {
  if (transitions.at(-1)?.state === state) return transitions;
  return [...transitions.slice(1 - MAX_TRANSITIONS), { state, at }];
}

/** Returns true if a task may move from one state to another. A task may always stay in its state. */
export function canMoveTask(from: TaskState, to: TaskState): boolean {
  return from === to || MOVES[from].includes(to);
}

/** Returns true if a task has ended. Even then, a later message may continue the task. */
export function isTerminalState(state: TaskState): boolean {
  return (
    state === "completed" || state === "failed" || state === "canceled" || state === "rejected"
  );
}

/** Returns true if the agent cannot continue until a person answers, prompts or signs in. */
export function isInterruptedState(state: TaskState): boolean {
  return state === "input-required" || state === "auth-required";
}

/** Returns true if the agent does nothing until somebody acts: the task is interrupted or has ended. */
export function isWaitingState(state: TaskState): boolean {
  return isInterruptedState(state) || isTerminalState(state);
}

/**
 * Returns the states that a task enters on the way from `from` to `to`; the last of them is `to`. If
 * the direct move is not allowed, the path goes through `working`. `to` must not be `submitted`,
 * because no task becomes `submitted` again.
 */
export function pathBetween(from: TaskState, to: TaskState): readonly TaskState[] {
  return canMoveTask(from, to) ? [to] : ["working", to];
}

/** State of a task in the source documents. */
export type DocumentState = Exclude<TaskState, "rejected" | "auth-required">;

/** Converts a state to the nearest one that the source documents know. */
export function toDocumentState(state: TaskState): DocumentState {
  if (state === "rejected") return "failed";
  return state === "auth-required" ? "input-required" : state;
}
