import type { TaskHandle } from "@dt/client";
import type { Origin, Presence } from "@dt/schema";

/** Facts that an agent reports about a client that joins a session. */
export interface JoinedAs {
  /** Origin of the client's prompts and answers. */
  readonly own: Partial<Origin>;
  /** Mode and number of clients; undefined if the agent does not report them. */
  readonly presence: Presence | undefined;
}

/**
 * Asks the agent how it names this client's prompts and answers, and which mode they have. A client with a
 * token has the name of the token; any other client has the name that it chose. If the agent does not report
 * the name, the result has the chosen name.
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
