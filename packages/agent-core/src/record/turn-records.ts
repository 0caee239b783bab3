import type { TaskState, ToolCallStep } from "@dt/schema";
import { endCalls } from "./advance-calls.js";
import { isAsking } from "./open-call.js";
import { leaveQueue } from "./queued-prompt.js";
import type { Announcement, Recorder } from "./recorder.js";
import { queueAfterTurn } from "./session-state.js";

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
  const ended = endCalls(turn.calls, () => step);
  await recorder.commit({
    journal: [
      ...ended.journal,
      ...dropped.map((prompt) => ({ type: "withdrawn" as const, turn: prompt.turn })),
      { type: "turn-ended", state },
    ],
    events: [
      ...ended.events,
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

/** Why a turn was interrupted. */
export interface Interruption {
  readonly reason: string;
  /** What became of the processes of calls that were running, by the call's id. */
  readonly remarks?: Readonly<Record<string, string>>;
}

/**
 * Continues a turn after an interruption. A call that was running has failed, because nobody knows how far
 * it came; a question inside it is cancelled. Another question still waits, and the turn waits with it;
 * without one the turn has failed. Nothing is run again, and nothing is announced again.
 */
export async function interruptTurn(
  recorder: Recorder,
  { reason, remarks = {} }: Interruption,
): Promise<void> {
  const { turn } = recorder.state;
  if (turn === undefined) return;
  const isAlive = turn.calls.some((call) => isAsking(call) && call.parentCallId === undefined);
  const ended = endCalls(turn.calls, ({ toolCall: { toolCallId, status } }) => {
    if (isAlive && status !== "EXECUTING") return undefined;
    const message = [reason, remarks[toolCallId] ?? []].flat().join("; ");
    return { type: "fail", error: { message, type: "interrupted" } };
  });
  if (ended.journal.length > 0) await recorder.commit(ended);
  const error = [reason, ...Object.values(remarks)].join("; ");
  if (!isAlive) await endTurn(recorder, { state: "failed", error });
}
