/** How much a server takes on. Past a limit: `agent-busy`, and nothing is lost. */
export interface Limits {
  /** Sessions with a turn that runs, of everyone together. Default: 64. */
  readonly maxTurns: number;
  /** The same of one owner. Default: 32. */
  readonly maxTurnsPerOwner: number;
  /** Prompts that may wait for a turn. Default: 256. */
  readonly maxWaitingPrompts: number;
  /** How long a prompt waits at most. Default: a minute. */
  readonly maxWaitMs: number;
  /** Tasks that are kept for one owner. Default: 100,000. */
  readonly maxTasksPerOwner: number;
  /** Push configs of one task. Default: 10. */
  readonly maxPushConfigsPerTask: number;
  /** Streams that one principal may have open. Default: 2,048, as many as connections. */
  readonly maxStreamsPerPrincipal: number;
  /**
   * Sockets that are open at once. Past it a new one takes the place of one that is idle; if there is none,
   * it is told that it is one too many. Default: 2,048.
   */
  readonly maxConnections: number;
  /** Bytes of messages that are not whole yet, of all sockets together; the largest goes. Default: 64 MiB. */
  readonly maxUnfinishedBytes: number;
  /** Sessions that are kept in memory. Default: 1,000. Busy and watched ones are never let go. */
  readonly maxSessionsInMemory: number;
  /** How long a session stays in memory that nobody uses. Default: five minutes. */
  readonly sessionIdleMs: number;
  /** How long a session is kept that nobody touches. Default: for ever. */
  readonly sessionTtlMs: number;
}

/** Generous: one busy person on one machine meets none of them. */
export const defaultLimits: Limits = {
  maxTurns: 64,
  maxTurnsPerOwner: 32,
  maxWaitingPrompts: 256,
  maxWaitMs: 60_000,
  maxTasksPerOwner: 100_000,
  maxPushConfigsPerTask: 10,
  maxStreamsPerPrincipal: 2_048,
  maxConnections: 2_048,
  maxUnfinishedBytes: 64 * 1024 * 1024,
  maxSessionsInMemory: 1_000,
  sessionIdleMs: 5 * 60_000,
  sessionTtlMs: Number.POSITIVE_INFINITY,
};
