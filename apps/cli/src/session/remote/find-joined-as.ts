import type { TaskHandle } from "@dt/client";
import type { Origin } from "@dt/schema";

/**
 * Finds the origin that the agent writes on this client's prompts and answers. A client with a token has the
 * name of the token; any other client has the name that it chose. If the agent does not report the origin,
 * resolves with the chosen name.
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
