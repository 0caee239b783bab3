import type { Limits } from "../access/limits/limits.js";

/** Properties of a session in memory that decide whether it may leave memory. */
export interface SessionUse {
  readonly contextId: string;
  readonly usedAt: number;
  /** True if a turn runs or a request is under way. */
  readonly isBusy: boolean;
  readonly subscribers: number;
}

type EvictionLimits = Pick<Limits, "sessionIdleMs" | "maxSessionsInMemory" | "maxWaitMs">;

/** Margin for open requests. A session that was unused for `maxWaitMs` plus this time has no open request. */
const REQUEST_MARGIN_MS = 10_000;

/**
 * Finds the sessions that leave memory now. These are the sessions that were unused for `sessionIdleMs`. If there are
 * too many sessions, the ones that were unused longest leave as well. Sessions with a running turn, a subscriber or an
 * open request stay. A session that waits for an answer may leave, because its journal restores it. Pure.
 */
export function findEvictable(
  sessions: readonly SessionUse[],
  now: number,
  { sessionIdleMs, maxSessionsInMemory, maxWaitMs }: EvictionLimits,
): readonly string[] {
  const minIdleMs = Math.min(maxWaitMs + REQUEST_MARGIN_MS, sessionIdleMs);
  const unused = sessions
    .filter(({ isBusy, subscribers, usedAt }) => {
      return !isBusy && subscribers === 0 && now - usedAt >= minIdleMs;
    })
    .sort((left, right) => left.usedAt - right.usedAt);
  const excess = sessions.length - maxSessionsInMemory;
  return unused
    .filter(({ usedAt }, index) => index < excess || now - usedAt >= sessionIdleMs)
    .map(({ contextId }) => contextId);
}
