import { type Caller, isTerminalState, ProtocolError, type Ticket, toOrigin } from "@dt/schema";
import { enqueuePrompt, retryTurn, steerTurn, withdrawPrompt } from "../record/prompt-records.js";
import type { AcceptedPrompt, Prompt, SessionState } from "../record/session-state.js";
import type { SessionParts } from "./session-parts.js";

/** Accepts a prompt; its turn starts now or after the turns before it. */
export async function acceptPrompt(
  prompt: Prompt,
  caller: Caller,
  parts: SessionParts,
): Promise<Ticket> {
  const { recorder } = parts;
  checkQueue(parts);
  if (hasEndedSince(prompt, recorder.state)) return await refuseEnded(prompt, parts);
  // The state changes before the first await, so that the next request sees this prompt.
  const accepted = toAcceptedPrompt(prompt, caller, recorder.state.turns + 1);
  const { taskId, turn } = accepted;
  parts.traces.prompted(turn);
  const afterPosition = await enqueuePrompt(recorder, accepted);
  parts.worker.wake();
  return { taskId, turn, afterPosition };
}

/**
 * Adds a prompt to the running turn if the same user started that turn with the same credential; else the
 * prompt gets its own turn.
 */
export async function steer(prompt: Prompt, caller: Caller, parts: SessionParts): Promise<Ticket> {
  const { recorder } = parts;
  const running = recorder.state.turn?.prompt;
  // A turn acts with the rights of its sender, so nobody else may steer it.
  if (running === undefined || !isSameSender(running, caller)) {
    return await acceptPrompt(prompt, caller, parts);
  }
  checkQueue(parts);
  if (hasEndedSince(prompt, recorder.state)) return await refuseEnded(prompt, parts);
  const accepted = toAcceptedPrompt(prompt, caller, recorder.state.turns + 1);
  const { taskId, turn } = running;
  const afterPosition = await steerTurn(recorder, { ...accepted, taskId });
  return { taskId, turn, afterPosition };
}

/**
 * Removes a prompt from the queue, or from the running turn if the turn has not read it yet. Returns false if
 * the prompt is in neither.
 */
export async function withdraw(messageId: string, { recorder }: SessionParts): Promise<boolean> {
  const { queue, turn } = recorder.state;
  const queued = queue.find((prompt) => prompt.messageId === messageId);
  if (queued !== undefined) {
    await withdrawPrompt(recorder, queued);
    return true;
  }
  const isSteering = turn?.steering.some((prompt) => prompt.messageId === messageId) === true;
  if (isSteering) await recorder.commit({ journal: [{ type: "steering-withdrawn", messageId }] });
  return isSteering;
}

/**
 * Continues the last failed turn as a new turn. Returns undefined if no turn has failed, if a later prompt has
 * started, if a turn runs, or if a prompt waits.
 */
export async function retry({ recorder, worker }: SessionParts): Promise<Ticket | undefined> {
  const { failed, turn, queue } = recorder.state;
  if (failed === undefined || turn !== undefined || queue.length > 0) return undefined;
  const afterPosition = await retryTurn(recorder);
  worker.wake();
  return { taskId: failed.taskId, turn: recorder.state.turns, afterPosition };
}

function checkQueue({ recorder, maxQueue }: SessionParts): void {
  const { queue, turn } = recorder.state;
  if (queue.length + (turn?.steering.length ?? 0) < maxQueue) return;
  throw new ProtocolError(
    "agent-busy",
    `${maxQueue} prompts are waiting already; wait for a turn to end`,
  );
}

async function refuseEnded({ taskId }: Prompt, { recorder }: SessionParts): Promise<never> {
  await recorder.flush();
  throw new ProtocolError("unsupported-operation", `the task ${taskId} has ended`);
}

/** Adds the sender and the turn number to a prompt. */
export function toAcceptedPrompt<TPrompt extends Prompt>(
  prompt: TPrompt,
  caller: Caller,
  turn: number,
): TPrompt & AcceptedPrompt {
  const { credential, tier } = caller;
  return {
    ...prompt,
    origin: toOrigin(caller),
    ...(credential !== undefined && { credential }),
    ...(tier !== undefined && { tier }),
    turn,
  };
}

function isSameSender({ origin, credential }: AcceptedPrompt, caller: Caller): boolean {
  return origin.principal === caller.user && credential === caller.credential;
}

// Returns true if the task has ended since the client last saw it. The prompt is then refused, because
// not every client is allowed to continue an ended task.
function hasEndedSince({ taskId, taskState }: Prompt, { tasks }: SessionState): boolean {
  const state = tasks[taskId];
  if (taskState === undefined || state === undefined) return false;
  return isTerminalState(state) && !isTerminalState(taskState);
}
