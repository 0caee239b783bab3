import { ProtocolError } from "@dt/schema";

/** Tracks whether a session still accepts requests. */
export interface SessionLifetime {
  /** Throws `agent-busy` if the session accepts no more requests. */
  checkOpen(): void;
  /** Refuses later requests; running work continues. */
  refuseRequests(): void;
  /** Refuses later requests and aborts the signal, which ends every wait. */
  close(): void;
  /** Aborts when the session closes. */
  readonly signal: AbortSignal;
}

/** Creates the lifetime of an open session. */
export function createSessionLifetime(): SessionLifetime {
  return new OpenLifetime();
}

class OpenLifetime implements SessionLifetime {
  private readonly closing = new AbortController();
  private isOpen = true;

  // This is a getter, because Node creates the signal at its first use, and most sessions need no signal.
  get signal(): AbortSignal {
    return this.closing.signal;
  }

  checkOpen(): void {
    if (!this.isOpen) throw new ProtocolError("agent-busy", "the session is closing");
  }

  refuseRequests(): void {
    this.isOpen = false;
  }

  close(): void {
    this.isOpen = false;
    this.closing.abort();
  }
}
