/** Limits of the live updates of one call. */
export interface LiveBudget {
  readonly totalBytes: number;
  /** Bytes that may be sent immediately, so that the first output appears without delay. */
  readonly burstBytes: number;
  /** Time over which the budget is spread. No call may run longer than this. */
  readonly maxMs: number;
  /** Shortest time between two updates. */
  readonly intervalMs: number;
}

/** The default limits: one megabyte in total, and at most ten updates per second. */
export const LIVE_BUDGET: LiveBudget = {
  totalBytes: 1_000_000,
  burstBytes: 40_000,
  maxMs: 3_600_000,
  intervalMs: 100,
};

/**
 * Milliseconds during which bytes are released at an almost constant rate. Later the rate falls.
 */
const EAGER_MS = 2000;

/**
 * Returns the time of the next update in milliseconds since the start of the call; undefined if the rest of
 * the budget is too small for the update.
 *
 * The released bytes grow with the logarithm of the time. Of the bytes after the burst, about a tenth is
 * released in the first two seconds and almost half in the first minute. So short calls update often, and
 * long calls still update at their end. Small updates come more often than large updates. Pure.
 */
export function nextUpdateAt(
  sent: { readonly spentBytes: number; readonly lastAt: number | undefined },
  costBytes: number,
  budget: LiveBudget = LIVE_BUDGET,
): number | undefined {
  const needed = sent.spentBytes + costBytes;
  if (needed > budget.totalBytes) return undefined;
  const released = Math.max(0, needed - budget.burstBytes);
  const share = released / (budget.totalBytes - budget.burstBytes);
  const releasedAt = EAGER_MS * ((1 + budget.maxMs / EAGER_MS) ** share - 1);
  const spacedAt = sent.lastAt === undefined ? 0 : sent.lastAt + budget.intervalMs;
  return Math.max(releasedAt, spacedAt);
}
