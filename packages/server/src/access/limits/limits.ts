/**
 * Limits of a server. A request beyond a limit of turns, tasks, push configs or streams fails with `agent-busy`. A
 * request beyond a limit per minute fails with `rate-limited`.
 */
export interface Limits {
  /** Maximum number of sessions that run a turn at the same time. Default: 128. */
  readonly maxTurns: number;
  /** Maximum number of sessions of one owner that run a turn at the same time. Default: 64. */
  readonly maxTurnsPerOwner: number;
  /** Maximum number of prompts that wait until fewer turns run. Default: 256. */
  readonly maxWaitingPrompts: number;
  /** Longest time that a prompt waits until fewer turns run. Default: one minute. */
  readonly maxWaitMs: number;
  /** Maximum number of stored tasks of one owner. Default: 100,000. */
  readonly maxTasksPerOwner: number;
  /** Maximum number of push configs of one task. Default: 10. */
  readonly maxPushConfigsPerTask: number;
  /** Maximum number of open streams of one user. Default: 2,048. */
  readonly maxStreamsPerPrincipal: number;
  /**
   * Maximum number of requests of one user per minute. Requests without a valid token are counted for their
   * address. A message on a WebSocket is a request. Default: 30,000.
   */
  readonly maxRequestsPerMinute: number;
  /** Maximum number of prompts and commands of one user per minute. Default: 3,000. */
  readonly maxPromptsPerMinute: number;
  /** Maximum number of invalid tokens from one address per minute. Default: 60. */
  readonly maxFailedSignInsPerMinute: number;
  /**
   * Maximum number of open sockets. A new socket beyond the limit replaces a socket without an unanswered
   * request. If there is no such socket, the new one is refused. Default: 2,048.
   */
  readonly maxConnections: number;
  /**
   * Maximum total size of all incomplete messages. Beyond this size, the largest message is dropped. If `maxBodyBytes`
   * is set, the limit is at least twice `maxBodyBytes`. Default: 64 MiB.
   */
  readonly maxUnfinishedBytes: number;
  /** Maximum number of sessions in memory. Sessions that are busy or have subscribers always stay. Default: 1,000. */
  readonly maxSessionsInMemory: number;
  /** Time that an unused session stays in memory. Default: five minutes. */
  readonly sessionIdleMs: number;
  /** Time after which an unused session is deleted from the store. Default: never. */
  readonly sessionTtlMs: number;
}

/** Limits that one person on one machine should never reach. */
export const DEFAULT_LIMITS: Limits = {
  maxTurns: 128,
  maxTurnsPerOwner: 64,
  maxWaitingPrompts: 256,
  maxWaitMs: 60_000,
  maxTasksPerOwner: 100_000,
  maxPushConfigsPerTask: 10,
  maxStreamsPerPrincipal: 2_048,
  maxRequestsPerMinute: 30_000,
  maxPromptsPerMinute: 3_000,
  maxFailedSignInsPerMinute: 60,
  maxConnections: 2_048,
  maxUnfinishedBytes: 64 * 1024 * 1024,
  maxSessionsInMemory: 1_000,
  sessionIdleMs: 5 * 60_000,
  sessionTtlMs: Number.POSITIVE_INFINITY,
};
