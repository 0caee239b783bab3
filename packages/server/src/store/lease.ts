import { ProtocolError, SetupError } from "@dt/schema";

/** The right to commit to a session. At most one lease of a session is valid at a time. */
export interface Lease {
  readonly contextId: string;
  /** Number of this lease. For a stored session, it is higher than the numbers of all earlier leases. */
  readonly epoch: number;
  /** Aborts when the lease is lost. Nothing can be committed from then on. */
  readonly lost: AbortSignal;
  /** Ends the lease. Does nothing if it was lost or released before. */
  release(): Promise<void>;
}

/** Options of `acquire`. */
export interface AcquireOptions {
  /** True if the session may be taken over. Its current holder then loses the lease. Default: false. */
  readonly takesOver?: boolean;
}

/** The error of `acquire` if another process has the lease. That process may release it at any time. */
export class LeaseHeld extends SetupError {
  constructor(contextId: string) {
    super(
      `the session ${contextId} is open in another instance; close it there, or wait until the lease of that instance ends`,
    );
  }
}

/** The error of a commit whose lease was lost. */
export class LeaseLost extends ProtocolError {
  constructor(contextId: string) {
    super(
      "agent-busy",
      `the session ${contextId} was taken over by another process; send the message again`,
    );
  }
}
