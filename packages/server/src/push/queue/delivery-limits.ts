/** The standing of a receiver. It is `failing` if the last call failed or was slow. */
export type Standing = "answering" | "failing";

/** Numbers of calls to answering and to failing receivers. */
export type CallCounts = { readonly [standing in Standing]: number };

/** Limits on deliveries. */
export interface QueueLimits {
  /** Maximum number of simultaneous calls to answering receivers. Default: 256. */
  readonly maxCalls: number;
  /** Maximum number of simultaneous calls to failing receivers. Default: half of `maxCalls`. */
  readonly maxFailingCalls: number;
  /**
   * Maximum number of simultaneous calls to the answering receivers of one host. The failing receivers of the
   * host may get half as many calls in addition. Default: 16.
   */
  readonly maxCallsPerOrigin: number;
  /** Maximum number of queued configs in memory; the others wait in the store. Default: 10,000. */
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

/** Returns the limits on all calls together. */
export function overallLimits({ maxCalls, maxFailingCalls }: QueueLimits): CallCounts {
  return { answering: maxCalls, failing: maxFailingCalls };
}

/** Returns the limits on the calls to one host. */
export function originLimits({ maxCallsPerOrigin }: QueueLimits): CallCounts {
  return { answering: maxCallsPerOrigin, failing: halfOf(maxCallsPerOrigin) };
}

/**
 * Returns true if one more call can start to a receiver with this standing. Pure.
 *
 * Receivers that begin to fail during their calls can exceed the limit of failing calls. The excess counts against the
 * limit of answering calls.
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
