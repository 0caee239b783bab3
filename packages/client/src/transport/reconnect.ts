/** Pauses between attempts, and the number of attempts. */
export interface ReconnectSchedule {
  /** First pause in milliseconds. Default: 200. */
  readonly baseMs?: number;
  /** Longest pause in milliseconds. Default: 10,000. */
  readonly maxMs?: number;
  /** Number of failed attempts before giving up. Default: no limit. */
  readonly maxAttempts?: number;
}

/** Computes an exponential backoff. Half of it is fixed; the other half is multiplied by `random`, from 0 to 1. */
export function reconnectDelay(
  attempt: number,
  random: number,
  { baseMs = 200, maxMs = 10_000 }: ReconnectSchedule,
): number {
  const ceiling = Math.min(maxMs, baseMs * 2 ** Math.min(attempt, 30));
  return Math.round(ceiling * (0.5 + random / 2));
}

/**
 * Resolves after `ms`, or earlier if the signal aborts or the platform reports that the network is
 * back.
 */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", finish);
      // Browsers report that the network is back; Node has no such event.
      globalThis.removeEventListener?.("online", finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    signal?.addEventListener("abort", finish);
    globalThis.addEventListener?.("online", finish);
    if (signal?.aborted === true) finish();
  });
}
