import {
  advanceToolCall,
  isTerminalStatus,
  isWaiting,
  type QueuedPrompt,
  type TaskState,
  type Ticket,
  type ToolCall,
  type ToolCallStep,
  textOf,
} from "@dt/schema";
import type { JournalRecord } from "./journal-record.js";
import type { Announcement, Change, Recorder } from "./recorder.js";
import { queueAfterTurn, type SessionState, type TakenPrompt } from "./session-state.js";
import { standingQuestions } from "./standing-questions.js";

/** Takes a prompt into the queue, and starts its turn if nothing is before it. */
export async function takePrompt(recorder: Recorder, prompt: TakenPrompt): Promise<number> {
  const { state } = recorder;
  const taken: Change = { journal: [{ type: "prompted", prompt }], receipt: receiptOf(prompt) };
  if (state.turn === undefined && state.queue.length === 0) {
    return await startTurn(recorder, prompt, taken);
  }
  const prompts = [...state.queue, prompt].map(toQueuedPrompt);
  return await recorder.commit({
    ...taken,
    events: [{ kind: "QUEUE", prompts, state: stateBefore(state, prompt) }],
    turn: prompt,
  });
}

/** Starts the turn of a prompt: everyone sees the prompt, then that the agent works on it. */
export async function startTurn(
  recorder: Recorder,
  prompt: TakenPrompt,
  taken: Change = {},
): Promise<number> {
  const { turn, messageId, parts, origin } = prompt;
  const state = stateBefore(recorder.state, prompt);
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
    turn: prompt,
  });
}

/** Starts the turn that failed last once more, from its last finished step. */
export async function retryTurn(recorder: Recorder, failed: TakenPrompt): Promise<number> {
  const turn = recorder.state.turns + 1;
  return await recorder.commit({
    journal: [{ type: "retried", turn }],
    events: [{ kind: "STATE_CHANGE" }],
    turn: { turn, taskId: failed.taskId },
  });
}

/** What became of a command that ran beside the turns of its session. */
export type CommandEnd =
  | { readonly state: "completed"; readonly said?: string | undefined }
  | { readonly state: "failed"; readonly error: string };

/** Records a command that ran beside the turns of its session as a whole: one task, one commit. */
export async function recordCommand(
  recorder: Recorder,
  command: TakenPrompt,
  end: CommandEnd,
): Promise<number> {
  const { turn, taskId, messageId, parts, origin } = command;
  const { state } = end;
  const said = end.state === "completed" ? end.said : undefined;
  return await recorder.commit({
    journal: [{ type: "command-ran", turn, taskId, state }],
    receipt: receiptOf(command),
    events: [
      { kind: "USER_PROMPT", messageId, parts, origin, state: "submitted" },
      { kind: "STATE_CHANGE" },
      ...(said ? [{ kind: "TEXT_CONTENT" as const, text: said }] : []),
      { kind: "STATE_CHANGE", state, ...(end.state === "failed" && { error: end.error }) },
    ],
    turn: { turn, taskId },
  });
}

/** Gives a prompt to the turn that runs; it is heard, and announced, at the next step. */
export async function steerTurn(recorder: Recorder, prompt: TakenPrompt): Promise<number> {
  return await recorder.commit({
    journal: [{ type: "steered", prompt }],
    receipt: receiptOf(prompt),
  });
}

/** How a turn ends. */
export interface TurnEnd {
  readonly state: TaskState;
  readonly error?: string | undefined;
  /** The turns of waiting prompts of the same task that are cancelled with it. */
  readonly withdrawn?: ReadonlySet<number> | undefined;
}

/**
 * Ends the turn that runs: whatever is still open ends with it, failed where the turn failed.
 *
 * A task that stays open rests instead of ending; then the error says what became of the turn. So does
 * one with a prompt that waits: it has its answer, and the prompt is the input that it goes on with.
 */
export async function endTurn(recorder: Recorder, end: TurnEnd): Promise<void> {
  const { state, error, withdrawn = new Set() } = end;
  const { turn, openTaskId, queue } = recorder.state;
  if (turn === undefined) return;
  const { taskId } = turn.prompt;
  const dropped = queue.filter((prompt) => withdrawn.has(prompt.turn));
  const next = queueAfterTurn(recorder.state, state).find(
    (prompt) => prompt.taskId === taskId && !withdrawn.has(prompt.turn),
  );
  const isOpen = taskId === openTaskId;
  const isResting = isOpen || next !== undefined;
  const told = isResting && state === "canceled" ? "the turn was cancelled" : error;
  const goesOn: readonly Announcement[] =
    isOpen || next === undefined ? [] : [{ kind: "STATE_CHANGE", turn: next.turn }];
  const step: ToolCallStep =
    state === "failed" && error !== undefined
      ? { type: "fail", error: { message: error, type: "turn_failed" } }
      : { type: "cancel" };
  const closed = closeCalls(recorder.state, openCalls(recorder.state), () => step);
  await recorder.commit({
    journal: [
      ...closed.journal,
      ...dropped.map((prompt) => ({ type: "withdrawn" as const, turn: prompt.turn })),
      { type: "turn-ended", state },
    ],
    events: [
      ...closed.events,
      ...leaveQueue(queue, dropped),
      {
        kind: "STATE_CHANGE",
        state: isResting ? "input-required" : state,
        ...(told !== undefined && { error: told }),
      },
      ...goesOn,
    ],
  });
}

/** Shows how prompts leave the queue, one after the other. */
function leaveQueue(
  queue: readonly TakenPrompt[],
  leaving: readonly TakenPrompt[],
): readonly Announcement[] {
  return leaving.map(({ turn }, index) => {
    const left = leaving.slice(0, index + 1);
    const rest = queue.filter((prompt) => !left.includes(prompt));
    return { kind: "QUEUE", prompts: rest.map(toQueuedPrompt), turn };
  });
}

/** Opens the task that rests between its turns: from now on it can be joined and prompted. */
export async function openTask(recorder: Recorder, taskId: string): Promise<void> {
  const { tasks, turns, openTaskId } = recorder.state;
  if (openTaskId === taskId) return;
  // Each step is one that tasks may take: a new one is submitted, an ended one goes on. (SRV-07)
  const isNew = tasks[taskId] === undefined;
  await recorder.commit({
    journal: [{ type: "task-opened", taskId }],
    events: [
      ...(isNew ? [{ kind: "STATE_CHANGE" as const, state: "submitted" as const }] : []),
      { kind: "STATE_CHANGE" },
      { kind: "STATE_CHANGE", state: "input-required" },
    ],
    turn: { turn: turns, taskId },
  });
}

/** Creates a task that waits for its first prompt; one that is there already stays as it is. */
export async function openWaitingTask(recorder: Recorder, taskId: string): Promise<Ticket> {
  const { tasks, turns } = recorder.state;
  const turn = { turn: turns, taskId };
  const isNew = tasks[taskId] === undefined;
  const afterPosition = await recorder.commit({
    turn,
    ...(isNew && {
      journal: [{ type: "task-created", taskId }],
      events: [{ kind: "STATE_CHANGE", state: "submitted" }],
    }),
  });
  return { ...turn, afterPosition };
}

/** Completes the task that rests between its turns. */
export async function closeTask(recorder: Recorder): Promise<void> {
  const { openTaskId: taskId, turns } = recorder.state;
  if (taskId === undefined) return;
  await recorder.commit({
    journal: [{ type: "task-closed" }],
    events: [{ kind: "STATE_CHANGE", state: "completed" }],
    turn: { turn: turns, taskId },
  });
}

/**
 * Takes a prompt out of the queue before its turn came. A task that went on for that prompt alone ends
 * with it: as its last turn did, else cancelled, through `working`, since no task is cancelled from
 * `submitted` (SRV-07).
 */
export async function withdrawPrompt(
  recorder: Recorder,
  prompt: TakenPrompt,
  { isCancelled = false } = {},
): Promise<void> {
  const { turn } = prompt;
  const rest = recorder.state.queue.filter((queued) => queued.turn !== turn);
  const state = stateBefore(recorder.state, prompt);
  const outcome = outcomeWithout(prompt, recorder.state);
  const taskState = outcome !== undefined && isCancelled ? "canceled" : outcome;
  await recorder.commit({
    journal: [{ type: "withdrawn", turn, ...(taskState !== undefined && { taskState }) }],
    events: [
      { kind: "QUEUE", prompts: rest.map(toQueuedPrompt), state },
      ...(taskState === undefined ? [] : stepsTo(taskState, state)),
    ],
    turn: prompt,
  });
}

function stepsTo(end: TaskState, from: TaskState): readonly Announcement[] {
  const ended = { kind: "STATE_CHANGE", state: end } as const;
  return from === "submitted" ? [{ kind: "STATE_CHANGE" }, ended] : [ended];
}

/** How the task of a waiting prompt ends without it; undefined where it does not, or has ended. */
function outcomeWithout(prompt: TakenPrompt, state: SessionState): TaskState | undefined {
  const { taskId } = prompt;
  const isRunning = state.turn?.prompt.taskId === taskId;
  const isAwaited = state.queue.some((other) => other !== prompt && other.taskId === taskId);
  if (isRunning || isAwaited) return undefined;
  const isUnbegun = stateBefore(state, prompt) === "submitted";
  return state.unsettled[taskId] ?? (isUnbegun ? "canceled" : undefined);
}

/** Why a turn was interrupted. */
export interface Interruption {
  readonly reason: string;
  /** What became of the processes of calls that were running, by the call's id. */
  readonly remarks?: Readonly<Record<string, string>>;
}

/**
 * What an interruption makes of a turn: a call that was running has failed, since nobody knows how far it
 * came; a question still waits, and with it the turn; without one the turn has failed. Nothing is run
 * again, nothing is announced again.
 */
export async function interruptTurn(
  recorder: Recorder,
  { reason, remarks = {} }: Interruption,
): Promise<void> {
  const { turn } = recorder.state;
  if (turn === undefined) return;
  const isAlive = turn.calls.some(isWaiting);
  const broken = openCalls(recorder.state).filter(
    (call) => call.status === "EXECUTING" || !isAlive,
  );
  const closed = closeCalls(recorder.state, broken, ({ toolCallId }) => {
    const message = [reason, remarks[toolCallId] ?? []].flat().join("; ");
    return { type: "fail", error: { message, type: "interrupted" } };
  });
  if (closed.journal.length > 0) await recorder.commit(closed);
  const error = [reason, ...Object.values(remarks)].join("; ");
  if (!isAlive) await endTurn(recorder, { state: "failed", error });
}

/** Takes the last step with several calls; those that nobody saw end unseen. */
function closeCalls(
  { turn }: SessionState,
  calls: readonly ToolCall[],
  stepOf: (call: ToolCall) => ToolCallStep,
): { readonly journal: readonly JournalRecord[]; readonly events: readonly Announcement[] } {
  const closed = calls.map((call) => advanceToolCall(call, stepOf(call)));
  const seen = closed.filter((call) => turn?.announced.includes(call.toolCallId));
  return {
    journal: closed.map((toolCall) => ({ type: "call-changed", toolCall })),
    events: seen.map((toolCall) => ({ kind: "TOOL_CALL_UPDATE", toolCall })),
  };
}

function openCalls({ turn }: SessionState): readonly ToolCall[] {
  return (turn?.calls ?? []).filter((call) => !isTerminalStatus(call.status));
}

/** The state of a prompt's task, as it was announced last. */
function stateBefore(state: SessionState, { taskId, taskState }: TakenPrompt): TaskState {
  const { turn, tasks, openTaskId } = state;
  if (turn?.prompt.taskId === taskId) {
    return standingQuestions(turn).length > 0 ? "input-required" : "working";
  }
  // The open task may be so old that the session has forgotten how it stood: it rests.
  return tasks[taskId] ?? taskState ?? (taskId === openTaskId ? "input-required" : "submitted");
}

function receiptOf({ turn, taskId, messageId, origin, digest }: TakenPrompt) {
  const receipt = { user: origin.principal, messageId, taskId, turn };
  return digest === undefined ? receipt : { ...receipt, digest };
}

function toQueuedPrompt({ messageId, parts, origin }: TakenPrompt): QueuedPrompt {
  return { messageId, text: textOf(parts), origin };
}
