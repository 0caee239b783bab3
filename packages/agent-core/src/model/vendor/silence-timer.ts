/** A timeout that can begin again. */
export interface RestartableTimer {
  /** Counts from now, also after it has fired. */
  refresh(): void;
  close(): void;
}

/** Starts a timer. Tests have a clock of their own. */
export type StartTimer = (ms: number, onTimeout: () => void) => RestartableTimer;

/** Measures waits for an endpoint. */
export interface SilenceTimer {
  /** Waits for a promise; the time counts only while someone waits. */
  watch<T>(waiting: Promise<T>): Promise<T>;
  close(): void;
}

/** The timer of the real clock. */
export const startTimer: StartTimer = (ms, onTimeout) => setTimeout(onTimeout, ms);

/** Calls back when a watched wait takes too long. One timer serves all waits of an exchange. */
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
