import type { Limits } from "../access/limits/limits.js";

/** The use of a session in memory. */
export interface SessionUse {
  readonly contextId: string;
  readonly usedAt: number;
  /** True if a turn runs. */
  readonly isBusy: boolean;
  readonly subscribers: number;
}

type EvictionLimits = Pick<Limits, "sessionIdleMs" | "maxSessionsInMemory" | "maxWaitMs">;

/** Time beyond the longest wait of a prompt after which no request still uses a session. */
const REQUEST_MARGIN_MS = 10_000;

/**
 * Finds the sessions that leave memory now: those that were idle for long, and, if there are too many, those
 * that were idle longest. A session that waits for an answer may leave, because its journal restores it. Pure.
 */
export function findEvictable(
  sessions: readonly SessionUse[],
  now: number,
  { sessionIdleMs, maxSessionsInMemory, maxWaitMs }: EvictionLimits,
): readonly string[] {
  const minIdleMs = Math.min(maxWaitMs + REQUEST_MARGIN_MS, sessionIdleMs);
  const idle = sessions
    .filter(({ isBusy, subscribers, usedAt }) => {
      return !isBusy && subscribers === 0 && now - usedAt >= minIdleMs;
    })
    .sort((left, right) => left.usedAt - right.usedAt);
  const excess = sessions.length - maxSessionsInMemory;
  return idle
    .filter(({ usedAt }, index) => index < excess || now - usedAt >= sessionIdleMs)
    .map(({ contextId }) => contextId);
}
