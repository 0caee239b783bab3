import {
  type AgentEvent,
  advanceToolCall,
  isTerminalStatus,
  isWaiting,
  type QueuedPrompt,
  type TaskState,
  type ToolCall,
  textOf,
} from "@dt/schema";
import type { Recorder } from "./recorder.js";
import type { SessionState, TakenPrompt } from "./session-state.js";

/** Takes a prompt into the queue, and starts its turn if nothing is before it. */
export async function takePrompt(recorder: Recorder, prompt: TakenPrompt): Promise<number> {
  const { turn, taskId, messageId, origin } = prompt;
  const receipt = { principal: origin.principal, messageId, taskId, turn };
  const isIdle = recorder.state.turn === undefined && recorder.state.queue.length === 0;
  if (isIdle) return await startTurn(recorder, prompt, { isTaken: false, receipt });
  const prompts = [...recorder.state.queue, prompt].map(toQueuedPrompt);
  return await recorder.commit({
    journal: [{ type: "prompted", prompt }],
    events: [{ kind: "QUEUE", prompts }],
    state: recorder.state.tasks[taskId] ?? "submitted",
    turn: { turn, taskId },
    receipt,
  });
}

/** Starts the turn of a prompt: everyone sees the prompt, then that the agent works on it. */
export async function startTurn(
  recorder: Recorder,
  prompt: TakenPrompt,
  options: {
    isTaken: boolean;
    receipt?: { principal: string; messageId: string; taskId: string; turn: number };
  },
): Promise<number> {
  const { turn, taskId, messageId, parts, origin } = prompt;
  const before = recorder.state.tasks[taskId] ?? "submitted";
  const announcement: AgentEvent[] = [{ kind: "USER_PROMPT", messageId, parts, origin }];
  if (options.isTaken) {
    announcement.unshift({
      kind: "QUEUE",
      prompts: recorder.state.queue.slice(1).map(toQueuedPrompt),
    });
  }
  const announced = recorder.commit({
    journal: options.isTaken
      ? [{ type: "turn-started", turn }]
      : [
          { type: "prompted", prompt },
          { type: "turn-started", turn },
        ],
    events: announcement,
    state: before,
    turn: { turn, taskId },
    ...(options.receipt !== undefined && { receipt: options.receipt }),
  });
  const working = recorder.commit({ events: [{ kind: "STATE_CHANGE" }], turn: { turn, taskId } });
  const [seq] = await Promise.all([announced, working]);
  return seq;
}

/** Ends the turn that runs: whatever is still open is cancelled with it. */
export async function endTurn(recorder: Recorder, state: TaskState, error?: string): Promise<void> {
  const open = openCalls(recorder.state).map((call) => advanceToolCall(call, { type: "cancel" }));
  const { turn } = recorder.state;
  if (turn === undefined) return;
  if (open.length > 0) {
    await recorder.commit({
      journal: open.map((toolCall) => ({ type: "call-changed" as const, toolCall })),
      events: open.map((toolCall) => ({ kind: "TOOL_CALL_UPDATE" as const, toolCall })),
    });
  }
  await recorder.commit({
    journal: [{ type: "turn-ended", state }],
    events: [{ kind: "STATE_CHANGE" }],
    state,
    ...(error !== undefined && { header: { error } }),
  });
}

/**
 * Takes a prompt out of the queue before its turn came. A task that was only that prompt ends with it,
 * through `working`, since no task is cancelled from `submitted` (SRV-07).
 */
export async function withdrawPrompt(recorder: Recorder, prompt: TakenPrompt): Promise<void> {
  const { turn, taskId } = prompt;
  const rest = recorder.state.queue.filter((queued) => queued.turn !== turn);
  const before = recorder.state.tasks[taskId] ?? "submitted";
  const withdrawn = recorder.commit({
    journal: [{ type: "withdrawn", turn }],
    events: [{ kind: "QUEUE", prompts: rest.map(toQueuedPrompt) }],
    state: before,
    turn: { turn, taskId },
  });
  const ended: readonly TaskState[] = before === "submitted" ? ["working", "canceled"] : [];
  const changes = ended.map((state) =>
    recorder.commit({ events: [{ kind: "STATE_CHANGE" }], state, turn: { turn, taskId } }),
  );
  await Promise.all([withdrawn, ...changes]);
}

/**
 * What a restart makes of a turn: a call that was running has failed, since nobody knows how far it
 * came; a question still waits, and with it the turn; without one the turn has failed. Nothing is run
 * again, nothing is announced again.
 */
export async function interruptTurn(recorder: Recorder, reason: string): Promise<void> {
  const { turn } = recorder.state;
  if (turn === undefined) return;
  const isAlive = turn.calls.some(isWaiting);
  const broken = openCalls(recorder.state).filter(
    (call) => call.status === "EXECUTING" || !isAlive,
  );
  const failed = broken.map((call) =>
    advanceToolCall(call, { type: "fail", error: { message: reason, type: "interrupted" } }),
  );
  if (failed.length > 0) {
    await recorder.commit({
      journal: failed.map((toolCall) => ({ type: "call-changed" as const, toolCall })),
      events: failed.map((toolCall) => ({ kind: "TOOL_CALL_UPDATE" as const, toolCall })),
    });
  }
  if (!isAlive) await endTurn(recorder, "failed", reason);
}

function openCalls({ turn }: SessionState): readonly ToolCall[] {
  return (turn?.calls ?? []).filter((call) => !isTerminalStatus(call.status));
}

function toQueuedPrompt({ messageId, parts, origin }: TakenPrompt): QueuedPrompt {
  return { messageId, text: textOf(parts), origin };
}
