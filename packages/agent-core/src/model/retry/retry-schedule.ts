/** Number of attempts, and the waits between them. */
export interface RetrySchedule {
  /** Maximum number of attempts, including the first. */
  readonly maxAttempts: number;
  /** Maximum of the wait before the second attempt. The maximum doubles for each later attempt. */
  readonly baseMs: number;
  /** Limit up to which the maximum doubles. No wait is longer, except one that a vendor asks for. */
  readonly capMs: number;
  /** If a vendor asks for a longer wait than this, there is no retry. */
  readonly maxRetryAfterMs: number;
}

/** Five attempts. The first wait is at most 0.5 s; this maximum doubles. A vendor may ask for up to 2 min. */
export const DEFAULT_RETRY_SCHEDULE: RetrySchedule = {
  maxAttempts: 5,
  baseMs: 500,
  capMs: 30_000,
  maxRetryAfterMs: 120_000,
};

/** The details of a failed attempt that decide about the wait. */
export interface FailedAttempt {
  /** Number of the attempt that failed, counted from 1. */
  readonly attempt: number;
  readonly retryAfterMs?: number | undefined;
  /** A random number from 0 up to 1. */
  readonly random: number;
}

/**
 * Returns the wait before the next attempt, or undefined to give up. Pure.
 *
 * The wait is a random fraction of its maximum (full jitter), so that clients that failed together do not
 * retry together. A wait that the vendor asks for is never shortened.
 */
export function retryDelayMs(
  { attempt, retryAfterMs, random }: FailedAttempt,
  schedule: RetrySchedule,
): number | undefined {
  if (attempt >= schedule.maxAttempts) return undefined;
  if (retryAfterMs !== undefined) {
    if (retryAfterMs > schedule.maxRetryAfterMs) return undefined;
    return Math.round(retryAfterMs + random * schedule.baseMs);
  }
  const longestMs = Math.min(schedule.capMs, schedule.baseMs * 2 ** (attempt - 1));
  return Math.round(random * longestMs);
}
