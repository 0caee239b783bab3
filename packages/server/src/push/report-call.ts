import type { Logger } from "../logging/logger.js";
import type { FinishedCall } from "./deliver-next.js";

/** Numbers of calls since the sender was opened. */
export interface PushCounters {
  readonly delivered: number;
  /** Number of calls that failed and are repeated. */
  readonly retried: number;
  /** Number of calls after which the config was given up. */
  readonly gaveUp: number;
}

/** A call that has ended. */
export interface PushCall {
  readonly outcome: keyof PushCounters;
  readonly ms: number;
}

/** Converts a finished call for counting. */
export function toPushCall({ outcome, progress, ms }: FinishedCall): PushCall {
  if (outcome.type === "accepted") return { outcome: "delivered", ms };
  return { outcome: progress.hasGivenUp ? "gaveUp" : "retried", ms };
}

/** Logs a call that failed. */
export function logFailure({ push, progress, outcome }: FinishedCall, logger: Logger): void {
  if (outcome.type === "accepted") return;
  const { contextId, taskId, configId, target } = push;
  const { failures, nextAttemptAt, hasGivenUp } = progress;
  const { error: why, addresses } = outcome;
  // Only the host of the receiver is logged, because its path and query may contain secrets.
  const { host } = new URL(target.url);
  const fields = { contextId, taskId, configId, host, failures, why, addresses, nextAttemptAt };
  if (hasGivenUp) logger.warn(fields, "push given up");
  else logger.info(fields, "push failed");
}
