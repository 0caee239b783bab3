/** How long to wait before another try, and when to stop trying. */
export interface ReconnectSchedule {
  /** The first wait, in milliseconds. Default: 200. */
  readonly baseMs?: number;
  /** The longest wait, in milliseconds. Default: 10,000. */
  readonly maxMs?: number;
  /** How often to try in vain before giving up. Default: never give up. */
  readonly maxAttempts?: number;
}

/** Exponential backoff with jitter of one half: `random` is in [0, 1). Pure. */
export function reconnectDelay(
  attempt: number,
  random: number,
  { baseMs = 200, maxMs = 10_000 }: ReconnectSchedule,
): number {
  const ceiling = Math.min(maxMs, baseMs * 2 ** Math.min(attempt, 30));
  return Math.round(ceiling * (0.5 + random / 2));
}

/** Waits, or stops waiting when aborted or when the platform says that the network is back. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", finish);
      // Browsers tell when the network is back; Node has no such event.
      globalThis.removeEventListener?.("online", finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    signal?.addEventListener("abort", finish);
    globalThis.addEventListener?.("online", finish);
    if (signal?.aborted === true) finish();
  });
}
