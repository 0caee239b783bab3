import { ProtocolError } from "@dt/schema";
import RateLimiterMemory from "rate-limiter-flexible/lib/RateLimiterMemory.js";
import type { MeasuredLimit, Metrics } from "../../metrics/metrics.js";
import type { Limits } from "../limits/limits.js";
import { createAddressSlots } from "./address-slots.js";

/**
 * Limits how often users and addresses may do something in one minute. Every method rejects with `rate-limited`
 * beyond its limit.
 */
export interface RateLimits {
  /** Counts a request of a user. */
  countRequest(user: string): Promise<void>;
  /** Counts a prompt or a command of a user. */
  countPrompt(user: string): Promise<void>;
  /** Counts a request without a known user, for its address. */
  countAnonymous(address: string | undefined): Promise<void>;
  /** Counts a failed sign-in from an address. */
  countFailedSignIn(address: string | undefined): Promise<void>;
  /** Rejects if an address has too many failed sign-ins. Does not count anything. */
  checkSignIn(address: string | undefined): Promise<void>;
}

/** Options of {@link createRateLimits}. */
export interface RateLimitsOptions {
  readonly limits: Pick<
    Limits,
    "maxRequestsPerMinute" | "maxPromptsPerMinute" | "maxFailedSignInsPerMinute"
  >;
  readonly metrics?: Pick<Metrics, "rateLimited"> | undefined;
}

const WINDOW_S = 60;

/** The members of a limiter that are used here. */
type Counter = Pick<RateLimiterMemory, "consume" | "get" | "points">;

/**
 * Creates the limits. Counts are kept in memory. There is one count for each user, and a fixed number of counts for
 * addresses, so that a flood of addresses needs no more memory.
 */
export function createRateLimits({ limits, metrics }: RateLimitsOptions): RateLimits {
  const { maxRequestsPerMinute, maxPromptsPerMinute, maxFailedSignInsPerMinute } = limits;
  const requests = createCounter(maxRequestsPerMinute);
  const prompts = createCounter(maxPromptsPerMinute);
  const anonymous = createCounter(maxRequestsPerMinute);
  const failures = createCounter(maxFailedSignInsPerMinute);
  const slotOf = createAddressSlots();

  function refuse(limit: MeasuredLimit, reason: string, left: { msBeforeNext: number }): never {
    metrics?.rateLimited(limit);
    const retryAfterMs = Math.max(1, left.msBeforeNext);
    const seconds = Math.ceil(retryAfterMs / 1_000);
    throw new ProtocolError("rate-limited", `${reason}; try again in ${seconds} s`, {
      data: { retryAfterMs },
    });
  }

  return {
    async countRequest(user) {
      const left = await consume(requests, user);
      if (left !== undefined)
        refuse("requests", `you have reached ${maxRequestsPerMinute} requests per minute`, left);
    },
    async countPrompt(user) {
      const left = await consume(prompts, user);
      if (left !== undefined)
        refuse("prompts", `you have reached ${maxPromptsPerMinute} prompts per minute`, left);
    },
    async countAnonymous(address) {
      const left = await consume(anonymous, slotOf(address));
      if (left !== undefined)
        refuse("anonymous", "your address has sent too many requests without a valid token", left);
    },
    async countFailedSignIn(address) {
      const left = await consume(failures, slotOf(address));
      if (left !== undefined) refuse("sign_ins", FAILED_SIGN_INS, left);
    },
    async checkSignIn(address) {
      const left = await failures.get(slotOf(address));
      if (left !== null && left.consumedPoints > failures.points)
        refuse("sign_ins", FAILED_SIGN_INS, left);
    },
  };
}

const FAILED_SIGN_INS = "your address has sent too many tokens that are not valid";

function createCounter(points: number): Counter {
  return new RateLimiterMemory({ points, duration: WINDOW_S });
}

/** Counts one use. If the limit is exceeded, returns the time until the next window; else undefined. */
async function consume(
  counter: Counter,
  key: string,
): Promise<{ readonly msBeforeNext: number } | undefined> {
  try {
    await counter.consume(key);
    return undefined;
  } catch (reason) {
    // Beyond the limit, the limiter rejects with its count, which is not an `Error`. Any other rejection is a fault.
    if (reason instanceof Error) throw reason;
    return reason as { readonly msBeforeNext: number };
  }
}
