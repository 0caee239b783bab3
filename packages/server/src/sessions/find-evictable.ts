import type { Limits } from "../access/limits/limits.js";

/** What decides whether a session may leave memory. */
export interface SessionUse {
  readonly contextId: string;
  readonly usedAt: number;
  /** Whether a turn runs. */
  readonly isBusy: boolean;
  readonly observers: number;
}

type EvictionLimits = Pick<Limits, "sessionIdleMs" | "maxSessionsInMemory" | "maxWaitMs">;

/** Beyond the time that a prompt may wait: a request that holds the session has done its work by then. */
const MIN_IDLE_MS = 10_000;

/**
 * The sessions that leave memory now: those that nobody has used for long, and, where there are too
 * many, those unused longest. One that waits for an answer may go; it comes back from its journal.
 */
export function findEvictable(
  sessions: readonly SessionUse[],
  now: number,
  { sessionIdleMs, maxSessionsInMemory, maxWaitMs }: EvictionLimits,
): readonly string[] {
  const minIdleMs = Math.min(maxWaitMs + MIN_IDLE_MS, sessionIdleMs);
  const resting = sessions
    .filter(({ isBusy, observers, usedAt }) => {
      return !isBusy && observers === 0 && now - usedAt >= minIdleMs;
    })
    .sort((left, right) => left.usedAt - right.usedAt);
  const excess = sessions.length - maxSessionsInMemory;
  return resting
    .filter(({ usedAt }, index) => index < excess || now - usedAt >= sessionIdleMs)
    .map(({ contextId }) => contextId);
}
