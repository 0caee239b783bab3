import { ProtocolError } from "@dt/schema";

/** The right to commit to a session. At most one is valid at a time. */
export interface Lease {
  readonly contextId: string;
  /** Number of this lease: every lease of a session has a higher one than those before. */
  readonly epoch: number;
  /** Aborts when somebody else has taken the session over. Nothing can be committed from then on. */
  readonly lost: AbortSignal;
  /** Gives the session back. A lease that is lost or released already stays as it is. */
  release(): Promise<void>;
}

/** Options for acquiring a lease. */
export interface AcquireOptions {
  /** True to take the session from its holder, which loses its lease. Default: false. */
  readonly takesOver?: boolean;
}

/** A commit of a holder that is no longer one. */
export class LeaseLost extends ProtocolError {
  constructor(contextId: string) {
    super(
      "agent-busy",
      `the session ${contextId} was taken over by another process; send the message again`,
    );
  }
}
