/** How long to wait before another try. */
export interface ReconnectSchedule {
  /** The first wait, in milliseconds. */
  readonly baseMs: number;
  /** The longest wait. */
  readonly maxMs: number;
}

export const defaultReconnectSchedule: ReconnectSchedule = { baseMs: 200, maxMs: 10_000 };

/** Exponential backoff with full jitter: `random` is in [0, 1). Pure. */
export function reconnectDelay(
  attempt: number,
  random: number,
  schedule: ReconnectSchedule,
): number {
  const ceiling = Math.min(schedule.maxMs, schedule.baseMs * 2 ** Math.min(attempt, 30));
  return Math.round(ceiling * (0.5 + random / 2));
}

/** Waits, or stops waiting when aborted. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    signal.addEventListener("abort", finish);
    if (signal.aborted) finish();
  });
}
