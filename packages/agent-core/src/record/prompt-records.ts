import type { TaskState } from "@dt/schema";
import { blockingQuestions } from "./blocking-questions.js";
import { toQueuedPrompt } from "./queued-prompt.js";
import type { Announcement, Change, Recorder } from "./recorder.js";
import type { SessionState, TakenPrompt } from "./session-state.js";

/** Adds a prompt to the queue, and starts its turn if nothing is ahead of it. */
export async function takePrompt(recorder: Recorder, prompt: TakenPrompt): Promise<number> {
  const { state } = recorder;
  const taken: Change = { journal: [{ type: "prompted", prompt }], receipt: receiptOf(prompt) };
  if (state.turn === undefined && state.queue.length === 0) {
    return await startTurn(recorder, prompt, taken);
  }
  const prompts = [...state.queue, prompt].map(toQueuedPrompt);
  return await recorder.commit({
    ...taken,
    events: [{ kind: "QUEUE", prompts, state: announcedState(state, prompt) }],
    turn: prompt,
  });
}

/** Starts the turn of a prompt: announces the prompt, then the state `working`. */
export async function startTurn(
  recorder: Recorder,
  prompt: TakenPrompt,
  taken: Change = {},
): Promise<number> {
  const { turn, messageId, parts, origin } = prompt;
  const state = announcedState(recorder.state, prompt);
  const waited = recorder.state.queue.some((queued) => queued.turn === turn);
  const prompts = recorder.state.queue.slice(1).map(toQueuedPrompt);
  return await recorder.commit({
    ...taken,
    journal: [...(taken.journal ?? []), { type: "turn-started", turn }],
    events: [
      ...(waited ? [{ kind: "QUEUE" as const, prompts, state }] : []),
      { kind: "USER_PROMPT", messageId, parts, origin, state },
      { kind: "STATE_CHANGE" },
    ],
  });
}

/** Runs the last failed turn again, from its last finished step. */
export async function retryTurn(recorder: Recorder): Promise<number> {
  return await recorder.commit({
    journal: [{ type: "retried", turn: recorder.state.turns + 1 }],
    events: [{ kind: "STATE_CHANGE" }],
  });
}

/** Gives a prompt to the running turn. The turn reads and announces it at its next step. */
export async function steerTurn(recorder: Recorder, prompt: TakenPrompt): Promise<number> {
  return await recorder.commit({
    journal: [{ type: "steered", prompt }],
    receipt: receiptOf(prompt),
  });
}

/**
 * Removes a prompt from the queue before its turn starts. A task that only waited for this prompt
 * ends with it: in the state of its last turn, or else cancelled. A cancelled task passes through
 * `working`, because no task may be cancelled from `submitted` (SRV-07).
 */
export async function withdrawPrompt(
  recorder: Recorder,
  prompt: TakenPrompt,
  { isCancelled = false } = {},
): Promise<void> {
  const { turn } = prompt;
  const rest = recorder.state.queue.filter((queued) => queued.turn !== turn);
  const state = announcedState(recorder.state, prompt);
  const outcome = taskEndWithout(prompt, recorder.state);
  const taskState = outcome !== undefined && isCancelled ? "canceled" : outcome;
  await recorder.commit({
    journal: [{ type: "withdrawn", turn, ...(taskState !== undefined && { taskState }) }],
    events: [
      { kind: "QUEUE", prompts: rest.map(toQueuedPrompt), state },
      ...(taskState === undefined ? [] : stateChangesTo(taskState, state)),
    ],
    turn: prompt,
  });
}

function stateChangesTo(end: TaskState, from: TaskState): readonly Announcement[] {
  const ended = { kind: "STATE_CHANGE", state: end } as const;
  return from === "submitted" ? [{ kind: "STATE_CHANGE" }, ended] : [ended];
}

/**
 * Returns the state in which a task ends if a waiting prompt is removed; undefined if the task
 * continues or has ended.
 */
function taskEndWithout(prompt: TakenPrompt, state: SessionState): TaskState | undefined {
  const { taskId } = prompt;
  const isRunning = state.turn?.prompt.taskId === taskId;
  const isAwaited = state.queue.some((other) => other !== prompt && other.taskId === taskId);
  if (isRunning || isAwaited) return undefined;
  const isUnbegun = announcedState(state, prompt) === "submitted";
  return state.unsettled[taskId] ?? (isUnbegun ? "canceled" : undefined);
}

/** Returns the state of a prompt's task as last announced. */
function announcedState(state: SessionState, { taskId, taskState }: TakenPrompt): TaskState {
  const { turn, tasks, openTaskId } = state;
  if (turn?.prompt.taskId === taskId) {
    return blockingQuestions(turn).length > 0 ? "input-required" : "working";
  }
  // The session keeps only recent task states; an open task that it has forgotten waits for input.
  return tasks[taskId] ?? taskState ?? (taskId === openTaskId ? "input-required" : "submitted");
}

/** Builds the receipt that lets a client re-send the message without starting a second turn. */
export function receiptOf({ turn, taskId, messageId, origin, digest }: TakenPrompt) {
  const receipt = { user: origin.principal, messageId, taskId, turn };
  return digest === undefined ? receipt : { ...receipt, digest };
}
