/** Limits of a server. A request beyond one fails with `agent-busy`, and nothing is lost. */
export interface Limits {
  /** Sessions in which a turn runs, of all owners together. Default: 128. */
  readonly maxTurns: number;
  /** Sessions of one owner in which a turn runs. Default: 64. */
  readonly maxTurnsPerOwner: number;
  /** Prompts that may wait until fewer turns run. Default: 256. */
  readonly maxWaitingPrompts: number;
  /** Longest time that a prompt waits. Default: one minute. */
  readonly maxWaitMs: number;
  /** Stored tasks of one owner. Default: 100,000. */
  readonly maxTasksPerOwner: number;
  /** Push configs of one task. Default: 10. */
  readonly maxPushConfigsPerTask: number;
  /** Open streams of one user. Default: 2,048, as many as connections. */
  readonly maxStreamsPerPrincipal: number;
  /**
   * Open sockets. A socket beyond the limit replaces an unused one; if there is none, it is refused.
   * Default: 2,048.
   */
  readonly maxConnections: number;
  /** Bytes of incomplete messages, of all sockets together; beyond it the largest is dropped. Default: 64 MiB. */
  readonly maxUnfinishedBytes: number;
  /** Sessions in memory. Busy sessions and those with subscribers always stay. Default: 1,000. */
  readonly maxSessionsInMemory: number;
  /** Time that an unused session stays in memory. Default: five minutes. */
  readonly sessionIdleMs: number;
  /** Time after which an unused session is deleted from the store. Default: never. */
  readonly sessionTtlMs: number;
}

/** Limits that one busy person on one machine does not reach. */
export const DEFAULT_LIMITS: Limits = {
  maxTurns: 128,
  maxTurnsPerOwner: 64,
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
