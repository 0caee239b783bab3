import { isAsking } from "../record/calls/open-call.js";
import { withdrawPrompt } from "../record/prompt-records.js";
import type { AcceptedPrompt } from "../record/session-state.js";
import { closeTask } from "../record/task-records.js";
import type { SessionParts } from "./session-parts.js";

/**
 * Cancels the turn of a task and withdraws the task's waiting prompts. The waiting prompts of the open task
 * stay. Returns false if there was nothing to cancel.
 */
export async function cancelTaskWork(taskId: string, parts: SessionParts): Promise<boolean> {
  const { recorder, worker, openTaskId } = parts;
  if (taskId !== openTaskId) return await cancelWork((prompt) => prompt.taskId === taskId, parts);
  // All clients share the open task, so its waiting prompts may come from other clients.
  const running = recorder.state.turn?.prompt;
  if (running?.taskId !== taskId) return false;
  await worker.cancelTurn(running.turn, []);
  return true;
}

/**
 * Refuses all further requests, cancels the running turn, withdraws the waiting prompts, and completes the
 * open task. If a question is open, does nothing and returns false.
 */
export async function finish(parts: SessionParts): Promise<boolean> {
  const { recorder, lifetime } = parts;
  if (recorder.state.turn?.calls.some(isAsking) === true) return false;
  lifetime.refuseRequests();
  await cancelWork(() => true, parts);
  await closeTask(recorder);
  return true;
}

/** Cancels the running turn if its prompt matches, and withdraws the waiting prompts that match. */
async function cancelWork(
  matches: (prompt: AcceptedPrompt) => boolean,
  { recorder, worker }: SessionParts,
): Promise<boolean> {
  const { turn, queue } = recorder.state;
  const running = turn !== undefined && matches(turn.prompt) ? turn.prompt : undefined;
  const queued = queue.filter(matches);
  // Waiting prompts of the same task are withdrawn in the commit that ends its turn, so that clients
  // see both changes together.
  const own = queued.filter(({ taskId }) => taskId === running?.taskId);
  const others = queued.filter((prompt) => !own.includes(prompt));
  const withdrawn = own.map((prompt) => prompt.turn);
  await Promise.all([
    ...others.map((prompt) => withdrawPrompt(recorder, prompt, { endsAsCanceled: true })),
    ...(running === undefined ? [] : [worker.cancelTurn(running.turn, withdrawn)]),
  ]);
  return running !== undefined || queued.length > 0;
}
