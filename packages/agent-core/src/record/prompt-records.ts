import type { TaskState } from "@dt/schema";
import { blockingQuestions } from "./calls/blocking-questions.js";
import { toQueuedPrompt } from "./queued-prompt.js";
import type { Announcement, Change, Recorder } from "./recorder.js";
import { type AcceptedPrompt, getRunningPrompt, type SessionState } from "./session-state.js";

/** Adds a prompt to the queue, or starts its turn if no turn is running and the queue is empty. */
export async function enqueuePrompt(recorder: Recorder, prompt: AcceptedPrompt): Promise<number> {
  const { state } = recorder;
  const base: Change = { journal: [{ type: "prompted", prompt }], receipt: receiptOf(prompt) };
  if (state.turn === undefined && state.queue.length === 0) {
    return await startTurn(recorder, prompt, base);
  }
  const prompts = [...state.queue, prompt].map(toQueuedPrompt);
  return await recorder.commit({
    ...base,
    events: [{ kind: "QUEUE", prompts, state: announcedState(state, prompt) }],
    turn: prompt,
  });
}

/**
 * Starts the turn of a prompt. Announces the prompt and then the state `working`. A new title of the session
 * is announced too, and each new task announces the title again.
 */
export async function startTurn(
  recorder: Recorder,
  prompt: AcceptedPrompt,
  base: Change = {},
): Promise<number> {
  const { turn, messageId, parts, origin } = prompt;
  const state = announcedState(recorder.state, prompt);
  const known = recorder.state.title;
  const hasWaited = recorder.state.queue.some((queued) => queued.turn === turn);
  const prompts = recorder.state.queue.slice(1).map(toQueuedPrompt);
  return await recorder.commit({
    ...base,
    journal: [...(base.journal ?? []), { type: "turn-started", turn }],
    events: [
      ...(hasWaited ? [{ kind: "QUEUE" as const, prompts, state }] : []),
      { kind: "USER_PROMPT", messageId, parts, origin, state },
      { kind: "STATE_CHANGE" },
    ],
    announce: ({ title }) =>
      title !== undefined && (title !== known || state === "submitted")
        ? [{ kind: "TITLE", title }]
        : [],
  });
}

/** Starts a turn that continues the last failed turn after its last finished step. */
export async function retryTurn(recorder: Recorder): Promise<number> {
  return await recorder.commit({
    journal: [{ type: "retried", turn: recorder.state.turns + 1 }],
    events: [{ kind: "STATE_CHANGE" }],
  });
}

/**
 * Adds a prompt to the running turn. The turn reads and announces the prompt at its next step. The receipt
 * contains the running turn, because a client that sends the message again follows that turn.
 */
export async function steerTurn(recorder: Recorder, prompt: AcceptedPrompt): Promise<number> {
  const { turn } = getRunningPrompt(recorder.state);
  return await recorder.commit({
    journal: [{ type: "steered", prompt }],
    receipt: { ...receiptOf(prompt), turn },
  });
}

/**
 * Removes a prompt from the queue before its turn starts.
 *
 * If the prompt's task was still `submitted`, or continued only for this prompt, the task ends too. Its final
 * state is the state of its last turn. Without a last turn, or with `endsAsCanceled`, the final state is
 * `canceled`. A task must not go directly from `submitted` to `canceled` (SRV-07), so a task that never
 * worked is announced as `working` first.
 */
export async function withdrawPrompt(
  recorder: Recorder,
  prompt: AcceptedPrompt,
  { endsAsCanceled = false } = {},
): Promise<void> {
  const { turn } = prompt;
  const rest = recorder.state.queue.filter((queued) => queued.turn !== turn);
  const state = announcedState(recorder.state, prompt);
  const outcome = taskEndWithout(prompt, recorder.state);
  const taskState = outcome !== undefined && endsAsCanceled ? "canceled" : outcome;
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
 * Returns the state in which a task ends when its waiting prompt is removed; undefined if the task continues,
 * or has already ended.
 */
function taskEndWithout(prompt: AcceptedPrompt, state: SessionState): TaskState | undefined {
  const { taskId } = prompt;
  const isRunning = state.turn?.prompt.taskId === taskId;
  const hasOtherPrompt = state.queue.some((other) => other !== prompt && other.taskId === taskId);
  if (isRunning || hasOtherPrompt) return undefined;
  const hasNotStarted = announcedState(state, prompt) === "submitted";
  return state.unsettled[taskId] ?? (hasNotStarted ? "canceled" : undefined);
}

/** Returns the last announced state of a prompt's task. */
export function announcedState(
  state: SessionState,
  { taskId, taskState }: Pick<AcceptedPrompt, "taskId" | "taskState">,
): TaskState {
  const { turn, tasks, openTaskId } = state;
  if (turn?.prompt.taskId === taskId) {
    return blockingQuestions(turn).length > 0 ? "input-required" : "working";
  }
  // The session remembers only the states of recent tasks. The prompt may contain the state of an older task.
  // If neither has the state, the open task waits for input, and any other task is new.
  return tasks[taskId] ?? taskState ?? (taskId === openTaskId ? "input-required" : "submitted");
}

/** Builds the receipt that lets a client re-send the message without starting a second turn. */
export function receiptOf({ turn, taskId, messageId, origin, digest }: AcceptedPrompt) {
  const receipt = { user: origin.principal, messageId, taskId, turn };
  return digest === undefined ? receipt : { ...receipt, digest };
}
