import type { TaskHandle } from "@dt/client";
import type { Origin, Presence } from "@dt/schema";

/** What an agent says about a client that joins a session. */
export interface JoinedAs {
  /** Origin of the client's prompts and answers. */
  readonly own: Partial<Origin>;
  /** Undefined if the agent does not report it. */
  readonly presence: Presence | undefined;
}

/**
 * Asks the agent how it names this client's prompts and answers, and which mode they have. An agent names a client
 * with a token by that token, and any other by the name that the client chose, which is the result if the agent does
 * not say.
 */
export async function findJoinedAs(
  handle: Pick<TaskHandle, "presence">,
  clientName: string,
  signal?: AbortSignal,
): Promise<JoinedAs> {
  // If the agent cannot be reached, the face reports it.
  const presence = await handle.presence(signal && { signal }).catch(() => undefined);
  return { own: presence?.caller ?? { name: clientName }, presence };
}
