import { hasCode } from "../../errors/has-code.js";

/** A stream that has ended, and the state of the task. */
export interface StreamEnd {
  readonly isSubscription: boolean;
  /** Error that ended the stream; undefined if the agent closed it. */
  readonly reason?: unknown;
  readonly isResting: boolean;
}

/** Decides the next act after a stream has ended; undefined if there is nothing to do. */
export function chooseAfterStream({
  isSubscription,
  reason,
  isResting,
}: StreamEnd): "refused" | "poll" | "retry" | undefined {
  if (isSubscription && isUnsupported(reason)) return "refused";
  if (reason !== undefined || !isResting) return "retry";
  // The stream ended as expected. Polling finds out whether other clients answer or prompt.
  return isSubscription ? "poll" : undefined;
}

/** Returns true if the agent has no subscriptions, or none for this task. */
function isUnsupported(reason: unknown): boolean {
  return hasCode(reason, "method-not-found") || hasCode(reason, "unsupported-operation");
}

/** Pauses between polls of an agent that ends subscriptions at once. */
const QUIET_MS = [500, 1_000, 2_000, 5_000] as const;

/** Returns the pause before the next poll, by the number of polls without a change. */
export function pollDelay(quietRounds: number): number {
  return QUIET_MS[Math.min(quietRounds, QUIET_MS.length - 1)] ?? 0;
}
