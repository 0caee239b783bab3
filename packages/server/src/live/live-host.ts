import { type Caller, ProtocolError, SetupError } from "@dt/schema";
import type { SessionHost } from "../sessions/session-host.js";
import type { SessionRegistry } from "../sessions/session-registry.js";

/** Gets the host of a live session, and keeps the session in memory. */
export interface LiveHost {
  /**
   * Gets the host of the session. After a failed commit, this is a new host, because the session was opened again.
   * Throws after the session was closed or deleted.
   */
  current(): Promise<SessionHost>;
  /** Allows the eviction of the session. */
  release(): void;
}

/** Options of {@link createLiveHost}. */
export interface LiveHostOptions {
  readonly sessions: Pick<SessionRegistry, "findSession">;
  readonly contextId: string;
  readonly owner: Caller;
  /** The host that the session was opened with. */
  readonly first: SessionHost;
  /** Aborts when the session is closed. */
  readonly closing: AbortSignal;
}

/** Creates a live host. It subscribes to the session, because a session with a subscriber stays in memory. */
export function createLiveHost(options: LiveHostOptions): LiveHost {
  const { sessions, contextId, owner, first, closing } = options;
  let known = first;
  let unpin = first.log.subscribers.add(() => {});
  return {
    async current() {
      if (closing.aborted) throw new ProtocolError("agent-busy", "the session is closed");
      const host = await sessions.findSession(contextId, owner);
      if (host === undefined) throw new SetupError(`the session ${contextId} no longer exists`);
      if (host.log !== known.log) {
        unpin();
        unpin = host.log.subscribers.add(() => {});
        known = host;
      }
      return host;
    },
    release: () => unpin(),
  };
}
