import { type TaskState, type ToolCallStep, TURN_CANCELLED } from "@dt/schema";
import { endCalls } from "./calls/advance-calls.js";
import { INTERRUPTED, isAsking, type OpenCall } from "./calls/open-call.js";
import { announceRemovals } from "./queued-prompt.js";
import type { Announcement, Recorder } from "./recorder.js";
import { queueAfterTurn } from "./session-state.js";

/** The end of a turn. */
export interface TurnEnd {
  readonly state: TaskState;
  readonly error?: string | undefined;
  /** Turn numbers of the waiting prompts that are cancelled with this turn. */
  readonly withdrawn?: ReadonlySet<number> | undefined;
}

/**
 * Ends the running turn and its open calls.
 *
 * The open task changes to `input-required` instead of ending. A task with another waiting prompt also
 * changes to `input-required`, and continues with that prompt. If the turn failed or was cancelled, this
 * state change contains an error.
 */
export async function recordTurnEnd(recorder: Recorder, end: TurnEnd): Promise<void> {
  const { state, error, withdrawn = new Set() } = end;
  const { turn, openTaskId, queue } = recorder.state;
  if (turn === undefined) return;
  const { taskId } = turn.prompt;
  const dropped = queue.filter((prompt) => withdrawn.has(prompt.turn));
  const next = queueAfterTurn(recorder.state, state).find(
    (prompt) => prompt.taskId === taskId && !withdrawn.has(prompt.turn),
  );
  const isOpen = taskId === openTaskId;
  const isWaitingForInput = isOpen || next !== undefined;
  const message = isWaitingForInput && state === "canceled" ? TURN_CANCELLED : error;
  const continuation: readonly Announcement[] =
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
      ...announceRemovals(queue, dropped),
      {
        kind: "STATE_CHANGE",
        state: isWaitingForInput ? "input-required" : state,
        ...(message !== undefined && { error: message }),
      },
      ...continuation,
    ],
  });
}

/** An interruption of the running turn. */
export interface Interruption {
  /** The cause, such as a restart. */
  readonly reason: string;
  /** Remarks about the processes of running calls, by tool call id. */
  readonly remarks?: Readonly<Record<string, string>>;
}

/**
 * Settles a turn that an interruption stopped. A running call fails, because its progress is unknown. Questions
 * inside a running call, and questions of an external agent, are cancelled. If another question is open, the turn
 * waits for its answer. Otherwise the turn and all of its open calls fail. Each call runs at most once, and is
 * announced once.
 */
export async function interruptTurn(
  recorder: Recorder,
  { reason, remarks = {} }: Interruption,
): Promise<void> {
  const { turn } = recorder.state;
  if (turn === undefined) return;
  const hasOpenQuestion = turn.calls.some(
    (call) => isAsking(call) && call.parentCallId === undefined && call.isExternal !== true,
  );
  const ended = endCalls(turn.calls, (call) => {
    const {
      toolCall: { toolCallId, status },
      agentCall,
    } = call;
    // Nobody waits for the answer, so the question must not look open or approved.
    if (call.isExternal === true && isAsking(call)) return { type: "cancel" };
    if (hasOpenQuestion && status !== "EXECUTING") return undefined;
    const called = agentCall === undefined ? [] : describeAgentCall(agentCall);
    const message = [reason, remarks[toolCallId] ?? [], called].flat().join("; ");
    return { type: "fail", error: { message, type: INTERRUPTED } };
  });
  if (ended.journal.length > 0) await recorder.commit(ended);
  const error = [reason, ...Object.values(remarks)].join("; ");
  if (!hasOpenQuestion) await recordTurnEnd(recorder, { state: "failed", error });
}

/** Describes the task of another agent that the interrupted call left running, for the person and the model. */
function describeAgentCall({
  agentName,
  messageId,
  taskId,
}: NonNullable<OpenCall["agentCall"]>): string {
  const work = taskId === undefined ? `message ${messageId}` : `task ${taskId}`;
  return `${work} of the agent ${agentName} may still run: /retry joins it, if the call is repeated with the same agent and prompt`;
}
