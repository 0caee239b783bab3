/** A timeout that can be restarted. */
export interface RestartableTimer {
  /** Restarts the timeout, even after it has fired. */
  refresh(): void;
  close(): void;
}

/** Starts a timer. Tests replace this function. */
export type StartTimer = (ms: number, onTimeout: () => void) => RestartableTimer;

/** Limits how long each wait for an endpoint may take. */
export interface SilenceTimer {
  /** Waits for a promise. A timeout is reported only during such a wait. */
  watch<T>(waiting: Promise<T>): Promise<T>;
  close(): void;
}

/** Starts a timer with `setTimeout`. */
export const startTimer: StartTimer = (ms, onTimeout) => setTimeout(onTimeout, ms);

/** Creates a timer that calls `onSilent` if a wait takes too long. The timer serves one wait at a time. */
export function openSilenceTimer(
  ms: number,
  onSilent: () => void,
  start: StartTimer = startTimer,
): SilenceTimer {
  let isWaiting = false;
  const timer = start(ms, () => {
    if (isWaiting) onSilent();
  });
  return {
    async watch(waiting) {
      isWaiting = true;
      timer.refresh();
      try {
        return await waiting;
      } finally {
        isWaiting = false;
      }
    },
    close: () => timer.close(),
  };
}
