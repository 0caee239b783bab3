import { hasCode } from "../../errors/has-code.js";

/** A stream that has ended, and the task as it is then. */
export interface StreamEnd {
  readonly isSubscription: boolean;
  /** The error that ended it; undefined if the agent closed it. */
  readonly reason?: unknown;
  readonly isResting: boolean;
}

/** The next act after a stream has ended; undefined if there is nothing to do. */
export function chooseAfterStream({
  isSubscription,
  reason,
  isResting,
}: StreamEnd): "refused" | "poll" | "retry" | undefined {
  if (isSubscription && isUnsupported(reason)) return "refused";
  if (reason !== undefined || !isResting) return "retry";
  // The stream ended as it should. A subscription tells whether others answer or prompt.
  return isSubscription ? "poll" : undefined;
}

/** True if the agent knows no subscriptions, or none of this task. */
function isUnsupported(reason: unknown): boolean {
  return hasCode(reason, "method-not-found") || hasCode(reason, "unsupported-operation");
}

/** Pauses before an agent that ends subscriptions at once is asked again. */
const QUIET_MS = [500, 1_000, 2_000, 5_000] as const;

/** The pause before the next poll, after so many polls without a change. */
export function pollDelay(quietRounds: number): number {
  return QUIET_MS[Math.min(quietRounds, QUIET_MS.length - 1)] ?? 0;
}
