import { setTimeout as delay } from "node:timers/promises";
import { BucketFault } from "./object-bucket.js";

/** Limits of the retries of one request. */
export interface BucketRetries {
  /** Maximum number of attempts. */
  readonly maxTries: number;
  /** Longest pause after the first attempt. It doubles with each further attempt. */
  readonly baseMs: number;
  /** Longest pause. */
  readonly maxPauseMs: number;
  /** Time in which one attempt must succeed. */
  readonly timeoutMs: number;
}

/**
 * The pauses between the attempts take up to 11 seconds together, and each attempt takes up to 30 seconds.
 */
export const DEFAULT_RETRIES: BucketRetries = {
  maxTries: 8,
  baseMs: 100,
  maxPauseMs: 4_000,
  timeoutMs: 30_000,
};

/** The statuses after which the same request may succeed. */
const TRANSIENT = new Set([408, 429, 500, 502, 503, 504]);

/**
 * Repeats a request with growing, random pauses while the bucket is too busy, fails or does not answer. Rejects with
 * {@link BucketFault}.
 */
export async function retryRequest<TResult>(
  place: string,
  work: () => Promise<TResult>,
  { maxTries, baseMs, maxPauseMs, timeoutMs }: BucketRetries,
): Promise<TResult> {
  let isUncertain = false;
  for (let tries = 1; ; tries += 1) {
    try {
      return await withTimeout(work(), timeoutMs);
    } catch (cause) {
      const status = statusOf(cause);
      isUncertain ||= status === undefined || status >= 500 || status === 408;
      const isTransient = status === undefined || TRANSIENT.has(status);
      if (!isTransient || tries >= maxTries) {
        throw new BucketFault(describeFault(place, cause, status), { cause, status, isUncertain });
      }
      await delay(Math.random() * Math.min(maxPauseMs, baseMs * 2 ** (tries - 1)));
    }
  }
}

/** Finds the HTTP status of an error of the library; undefined if there was no answer. */
export function statusOf(error: unknown): number | undefined {
  const { code, status } = (error ?? {}) as { readonly code?: unknown; readonly status?: unknown };
  const found = Number(typeof code === "number" || /^\d{3}$/.test(String(code)) ? code : status);
  return Number.isInteger(found) && found >= 100 ? found : undefined;
}

function describeFault(place: string, cause: unknown, status: number | undefined): string {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const shown = reason.split("\n")[0]?.slice(0, 200);
  return status === undefined
    ? `the bucket ${place} cannot be reached (${shown})`
    : `the bucket ${place} answered ${status} (${shown})`;
}

async function withTimeout<TResult>(work: Promise<TResult>, timeoutMs: number): Promise<TResult> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const fail = () => reject(new Error(`no answer within ${timeoutMs / 1_000} seconds`));
    timer = setTimeout(fail, timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
