/** The standing of a receiver: its last call was answered in time, or it failed or was slow. */
export type Standing = "answering" | "failing";

/** A number of calls for each standing of their receivers. */
export type CallCounts = { readonly [standing in Standing]: number };

/** Limits on deliveries. */
export interface QueueLimits {
  /** Simultaneous calls to receivers that answer. Default: 256. */
  readonly maxCalls: number;
  /** Simultaneous calls to receivers that failed lately. Default: half of `maxCalls`. */
  readonly maxFailingCalls: number;
  /** Simultaneous calls to one host; half as many if its receivers failed lately. Default: 16. */
  readonly maxCallsPerOrigin: number;
  /** Configs that may be queued in memory; the others wait in the store. Default: 10,000. */
  readonly maxQueued: number;
}

/** Limits on deliveries, and the time after which a call is slow. */
export interface PushLimits extends QueueLimits {
  /** Time after which a receiver that has not answered counts as failing. Default: 500 ms. */
  readonly slowMs: number;
}

/** Fills in the limits that were left out. */
export function toPushLimits(given: Partial<PushLimits> = {}): PushLimits {
  const { maxCalls = 256, maxCallsPerOrigin = 16, maxQueued = 10_000, slowMs = 500 } = given;
  const { maxFailingCalls = halfOf(maxCalls) } = given;
  return { maxCalls, maxFailingCalls, maxCallsPerOrigin, maxQueued, slowMs };
}

/** The limits on all calls together. */
export function overallLimits({ maxCalls, maxFailingCalls }: QueueLimits): CallCounts {
  return { answering: maxCalls, failing: maxFailingCalls };
}

/** The limits on the calls to one host. */
export function originLimits({ maxCallsPerOrigin }: QueueLimits): CallCounts {
  return { answering: maxCallsPerOrigin, failing: halfOf(maxCallsPerOrigin) };
}

/**
 * Returns true if one more call can start to a receiver with this standing. Pure.
 *
 * A receiver may begin to fail during its calls. Failing calls beyond their own limit count for the limit of the
 * answering ones.
 */
export function canStart(standing: Standing, calls: CallCounts, limits: CallCounts): boolean {
  const { answering, failing } = calls;
  if (answering + failing >= limits.answering + limits.failing) return false;
  if (standing === "failing") return failing < limits.failing;
  return answering + Math.max(0, failing - limits.failing) < limits.answering;
}

function halfOf(count: number): number {
  return Math.max(1, Math.floor(count / 2));
}
