/** How often a request is tried and how long is waited between. */
export interface RetrySchedule {
  /** Tries in all, the first included. */
  readonly tries: number;
  /** The longest wait before the second try; it doubles with each that follows. */
  readonly baseMs: number;
  /** What it never grows beyond. */
  readonly capMs: number;
  /** A vendor that asks for a longer wait than this is not waited for. */
  readonly longestRetryAfterMs: number;
}

/** Five tries, half a second doubling to thirty; up to two minutes where the vendor asks for them. */
export const defaultRetrySchedule: RetrySchedule = {
  tries: 5,
  baseMs: 500,
  capMs: 30_000,
  longestRetryAfterMs: 120_000,
};

/** What the wait depends on. */
export interface FailedTry {
  /** The try that failed, counted from 1. */
  readonly attempt: number;
  readonly retryAfterMs?: number | undefined;
  /** From 0 up to 1. */
  readonly random: number;
}

/**
 * How long to wait before the next try, or undefined to give up.
 *
 * Full jitter: anything from nothing to the whole step, so that many who failed together do not come
 * back together. A vendor's own wait is never cut short.
 */
export function retryDelayMs(
  { attempt, retryAfterMs, random }: FailedTry,
  schedule: RetrySchedule,
): number | undefined {
  if (attempt >= schedule.tries) return undefined;
  if (retryAfterMs !== undefined) {
    if (retryAfterMs > schedule.longestRetryAfterMs) return undefined;
    return Math.round(retryAfterMs + random * schedule.baseMs);
  }
  const step = Math.min(schedule.capMs, schedule.baseMs * 2 ** (attempt - 1));
  return Math.round(random * step);
}
