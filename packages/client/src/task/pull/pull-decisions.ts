import { hasCode } from "../../errors/has-code.js";

/** A stream that has ended, and the state of the task. */
export interface StreamEnd {
  readonly isSubscription: boolean;
  /** Error that ended the stream; undefined if the agent closed it. */
  readonly reason?: unknown;
  /** True if the task does not run: it is idle, asks or has ended. */
  readonly isWaiting: boolean;
}

/** Chooses the next step after a stream has ended; undefined if there is nothing to do. */
export function chooseAfterStream({
  isSubscription,
  reason,
  isWaiting,
}: StreamEnd): "refused" | "poll" | "retry" | undefined {
  if (isSubscription && isUnsupported(reason)) return "refused";
  if (reason !== undefined || !isWaiting) return "retry";
  // The agent closed the stream of a task that waits. If a message opened the stream, the next pull
  // subscribes. If the stream was a subscription, another subscription would end too, so the puller polls
  // for the answers and prompts of other clients.
  return isSubscription ? "poll" : undefined;
}

/** Returns true if the agent supports no subscriptions, or no subscription to this task. */
function isUnsupported(reason: unknown): boolean {
  return hasCode(reason, "method-not-found") || hasCode(reason, "unsupported-operation");
}

/** Pauses between polls. They get longer while the task does not change. */
const POLL_DELAYS_MS = [500, 1_000, 2_000, 5_000] as const;

/** Returns the pause before the next poll, by the number of polls without a change. */
export function pollDelay(quietPolls: number): number {
  return POLL_DELAYS_MS[Math.min(quietPolls, POLL_DELAYS_MS.length - 1)] ?? 0;
}
