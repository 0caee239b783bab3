import { isWaitingState, ProtocolError } from "@dt/schema";
import type { Stopping } from "../stopping.js";
import type { FoundTask } from "../tasks/shared-session.js";

/** Throws `agent-busy` if the server stops before the turn of a message has ended. */
export async function checkTurnEnded(
  { host, taskId, messageId }: FoundTask & { readonly messageId?: string },
  { signal }: Pick<Stopping, "signal">,
): Promise<void> {
  if (!signal.aborted) return;
  const { state, queue } = await host.log.view(taskId);
  // The task may wait for an answer to a question of another turn while this message is still queued.
  const isQueued = queue.some((prompt) => prompt.messageId === messageId);
  if (isWaitingState(state) && !isQueued) return;
  throw new ProtocolError(
    "agent-busy",
    `the server is stopping and the task ${taskId} is not done; send the same message again to get its result`,
    { data: { retryAfterMs: 1_000, taskId } },
  );
}
