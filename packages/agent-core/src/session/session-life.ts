import { ProtocolError } from "@dt/schema";

/** Tells whether a session still takes requests. */
export interface SessionLife {
  /** Throws `agent-busy` if the session takes no more requests. */
  checkOpen(): void;
  /** Refuses later requests; work that runs goes on. */
  refuseRequests(): void;
  /** Refuses later requests and ends every wait. */
  close(): void;
  /** Aborts when the session closes. */
  readonly signal: AbortSignal;
}

/** Creates the life of a session that has just opened. */
export function createSessionLife(): SessionLife {
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
