import { ProtocolError } from "@dt/schema";

/** Tracks whether a session still accepts requests. */
export interface SessionLifetime {
  /** Throws `agent-busy` if the session accepts no more requests. */
  checkOpen(): void;
  /** Refuses later requests; running work continues. */
  refuseRequests(): void;
  /** Refuses later requests and ends every wait. */
  close(): void;
  /** Aborts when the session closes. */
  readonly signal: AbortSignal;
}

/** Creates the lifetime of an open session. */
export function createSessionLifetime(): SessionLifetime {
  const closing = new AbortController();
  let isOpen = true;
  return {
    signal: closing.signal,
    checkOpen() {
      if (!isOpen) throw new ProtocolError("agent-busy", "the session is closing");
    },
    refuseRequests() {
      isOpen = false;
    },
    close() {
      isOpen = false;
      closing.abort();
    },
  };
}
