import type { PushProgress } from "../store/push-record.js";

/** How failed calls are made again. */
export interface RetryPolicy {
  /** The wait after the first failure; it doubles with each that follows. Default: a second. */
  readonly baseMs: number;
  /** The longest wait. Default: a quarter of an hour. */
  readonly maxMs: number;
  /** How many calls may fail in a row before it is given up. Default: 100, about 17 hours. */
  readonly maxFailures: number;
}

/** What a receiver that has gone for good needs least, and one that comes back most. */
export const defaultRetryPolicy: RetryPolicy = {
  baseMs: 1_000,
  maxMs: 15 * 60_000,
  maxFailures: 100,
};

/** A receiver may ask for more patience than we have by ourselves, up to this. */
const MAX_RETRY_AFTER_MS = 60 * 60_000;

/** Something that happens to the deliveries of a config. */
export type PushStep =
  | { readonly type: "begin" }
  | { readonly type: "deliver"; readonly place: number }
  | { readonly type: "skip"; readonly place: number }
  | PushFailure;

/** A call that failed. */
export interface PushFailure {
  readonly type: "fail";
  /** One sentence without secrets: the client reads it. */
  readonly error: string;
  /** Whether it is no use to call again. */
  readonly isFinal: boolean;
  /** How long the receiver asked to be left alone. */
  readonly retryAfterMs?: number;
  readonly now: number;
  /** From 0 up to 1: no two receivers are called in step. */
  readonly random: number;
}

/** The only place where the progress of a config changes. Pure. */
export function advancePush(
  progress: PushProgress,
  step: PushStep,
  policy: RetryPolicy = defaultRetryPolicy,
): PushProgress {
  const { after, isTaskDue, attempts, failures, hasGivenUp } = progress;
  switch (step.type) {
    case "begin":
      // Written before the call: if we die in it, the next one is known to be a repeat.
      return { ...kept(progress), attempts: attempts + 1 };
    case "deliver":
      return { after: step.place, isTaskDue: false, attempts: 0, failures: 0, hasGivenUp };
    case "skip":
      return { ...progress, after: Math.max(after, step.place) };
    case "fail": {
      const failed = { after, isTaskDue, attempts, failures: failures + 1, lastError: step.error };
      if (step.isFinal || failed.failures >= policy.maxFailures) {
        return { ...failed, hasGivenUp: true };
      }
      const nextAttemptAt = new Date(step.now + waitMs(failed.failures, step, policy));
      return { ...failed, nextAttemptAt: nextAttemptAt.toISOString(), hasGivenUp: false };
    }
  }
}

function kept({ nextAttemptAt: _, ...progress }: PushProgress): PushProgress {
  return progress;
}

// Half of the wait is certain, half is chance: many that fail at once do not come back at once.
function waitMs(
  failures: number,
  { random, retryAfterMs = 0 }: PushFailure,
  { baseMs, maxMs }: RetryPolicy,
): number {
  const longest = Math.min(maxMs, baseMs * 2 ** Math.min(failures - 1, 30));
  const own = longest * (0.5 + random / 2);
  return Math.max(own, Math.min(retryAfterMs, MAX_RETRY_AFTER_MS));
}
