import { isRestingState, ProtocolError } from "@dt/schema";
import type { Stopping } from "../stopping.js";
import type { FoundTask } from "../tasks/shared-session.js";

/** Throws what tells whoever waited for a turn that the server stopped before it was done. */
export async function checkRested(
  { host, taskId, messageId }: FoundTask & { readonly messageId?: string },
  { signal }: Pick<Stopping, "signal">,
): Promise<void> {
  if (!signal.aborted) return;
  const { state, queue } = await host.log.view(taskId);
  // A task may rest on someone else's question, with this message still behind it.
  const isQueued = queue.some((prompt) => prompt.messageId === messageId);
  if (isRestingState(state) && !isQueued) return;
  throw new ProtocolError(
    "agent-busy",
    `the server is stopping and the task ${taskId} is not done; send the same message again to hear of it`,
    { data: { retryAfterMs: 1_000, taskId } },
  );
}
