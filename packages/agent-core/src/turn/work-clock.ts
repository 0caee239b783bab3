/** How long a turn has worked: time spent waiting for people does not count. */
export interface WorkClock {
  /** Runs something and counts the time it takes. */
  measure<TResult>(work: () => Promise<TResult>): Promise<TResult>;
  elapsedMs(): number;
}

/** A clock that stands still until something is measured; what runs side by side counts once. */
export function createWorkClock(now: () => number): WorkClock {
  let elapsed = 0;
  let running = 0;
  let since = 0;
  return {
    async measure(work) {
      if (running === 0) since = now();
      running += 1;
      try {
        return await work();
      } finally {
        running -= 1;
        if (running === 0) elapsed += now() - since;
      }
    },
    elapsedMs: () => elapsed + (running === 0 ? 0 : now() - since),
  };
}
