import type { TaskHandle } from "@dt/client";
import type { Origin } from "@dt/schema";

/**
 * Finds out how the agent names this client's prompts and answers. An agent names a client with a token by that
 * token, and any other by the name that the client chose, which is the result if the agent does not say.
 */
export async function findOwnOrigin(
  handle: Pick<TaskHandle, "presence">,
  clientName: string,
  signal?: AbortSignal,
): Promise<Partial<Origin>> {
  // If the agent cannot be reached, the face reports it.
  const presence = await handle.presence(signal && { signal }).catch(() => undefined);
  return presence?.caller ?? { name: clientName };
}
