/** What live updates of one call may cost. */
export interface LiveBudget {
  readonly totalBytes: number;
  /** What may be spent at once, so that the first output is seen at once. */
  readonly burstBytes: number;
  /** When all of it may have been spent: no call runs longer. */
  readonly longestMs: number;
  /** The least time between two updates. */
  readonly intervalMs: number;
}

/** A million bytes in all, ten updates a second at most. */
export const liveBudget: LiveBudget = {
  totalBytes: 1_000_000,
  burstBytes: 40_000,
  longestMs: 3_600_000,
  intervalMs: 100,
};

/** For this long the budget is released about evenly; from then on ever slower. */
const eagerMs = 2000;

/**
 * When the next update may be sent, in ms since the call began; undefined where the budget is spent.
 *
 * The budget is released with the logarithm of time: of what is left after the burst, a tenth in the
 * first two seconds, half in the first minute, three quarters in ten. So short calls are followed
 * closely, long ones to their end, and small updates come more often than large ones. Pure.
 */
export function nextUpdateAt(
  sent: { readonly spentBytes: number; readonly lastAt: number | undefined },
  costBytes: number,
  budget: LiveBudget = liveBudget,
): number | undefined {
  const needed = sent.spentBytes + costBytes;
  if (needed > budget.totalBytes) return undefined;
  const released = Math.max(0, needed - budget.burstBytes);
  const share = released / (budget.totalBytes - budget.burstBytes);
  const releasedAt = eagerMs * ((1 + budget.longestMs / eagerMs) ** share - 1);
  const spacedAt = sent.lastAt === undefined ? 0 : sent.lastAt + budget.intervalMs;
  return Math.max(releasedAt, spacedAt);
}
