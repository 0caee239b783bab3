import type { PushProgress } from "../store/push-record.js";

/** Rules for retrying failed calls and for giving up. */
export interface RetryPolicy {
  /** Longest wait after the first failure. It doubles with each later failure. Default: one second. */
  readonly baseMs: number;
  /** Longest wait, unless the receiver asks for a longer one. Default: 15 minutes. */
  readonly maxMs: number;
  /** Number of consecutive failures after which a config is given up. Default: 100, which takes about 17 hours. */
  readonly maxFailures: number;
}

/** The first waits are short, for receivers that restart. Later waits are long, for receivers that are gone. */
export const DEFAULT_RETRY_POLICY: RetryPolicy = {
  baseMs: 1_000,
  maxMs: 15 * 60_000,
  maxFailures: 100,
};

/** Longest wait that a receiver may ask for. */
const MAX_RETRY_AFTER_MS = 60 * 60_000;

/** A step in the deliveries of a config. */
export type PushStep =
  | { readonly type: "begin" }
  | { readonly type: "deliver"; readonly position: number }
  | { readonly type: "skip"; readonly position: number }
  | PushFailure;

/** A call that failed. */
export interface PushFailure {
  readonly type: "fail";
  /** Reason for the client, without secrets. */
  readonly error: string;
  /** True if the config is given up at once. */
  readonly isFinal: boolean;
  /** Wait that the receiver asked for. */
  readonly retryAfterMs?: number;
  readonly now: number;
  /** Random number from 0 up to 1, which spreads the retries of receivers that failed together. */
  readonly random: number;
}

/** Returns the progress of a config after a step of its deliveries. Pure. */
export function advancePush(
  progress: PushProgress,
  step: PushStep,
  policy: RetryPolicy = DEFAULT_RETRY_POLICY,
): PushProgress {
  const { after, isTaskDue, attempts, failures, hasGivenUp } = progress;
  switch (step.type) {
    case "begin":
      // The attempt is stored before the call. If the process is killed, the next call has a higher number.
      return { ...withoutWait(progress), attempts: attempts + 1 };
    case "deliver":
      return { after: step.position, isTaskDue: false, attempts: 0, failures: 0, hasGivenUp };
    case "skip":
      return { ...progress, after: Math.max(after, step.position) };
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

function withoutWait({ nextAttemptAt: _, ...progress }: PushProgress): PushProgress {
  return progress;
}

// Computes the wait before the next attempt. Half of the wait is random, so that receivers that failed together are not
// retried together.
function waitMs(
  failures: number,
  { random, retryAfterMs = 0 }: PushFailure,
  { baseMs, maxMs }: RetryPolicy,
): number {
  const longest = Math.min(maxMs, baseMs * 2 ** Math.min(failures - 1, 30));
  const own = longest * (0.5 + random / 2);
  return Math.max(own, Math.min(retryAfterMs, MAX_RETRY_AFTER_MS));
}
