/** A timer that rings at the earliest of the times that it was set to. After that, it can be set again. */
export interface Alarm {
  /** Sets the alarm to this time (ms), unless it is set to an earlier time. Infinity has no effect. */
  setFor(at: number): void;
  /** Stops the alarm. It never rings again. */
  close(): void;
}

/** Longest time that a timer of Node can wait, in ms. An alarm for a later time rings early. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** Creates an alarm. It does not keep the process alive. `now` is the wall clock, in ms. */
export function createAlarm(onRing: () => void, now: () => number): Alarm {
  let timer: NodeJS.Timeout | undefined;
  let ringsAt = Number.POSITIVE_INFINITY;
  let isClosed = false;

  function ring(): void {
    ringsAt = Number.POSITIVE_INFINITY;
    onRing();
  }

  return {
    setFor(at) {
      if (isClosed || at >= ringsAt) return;
      clearTimeout(timer);
      ringsAt = at;
      timer = setTimeout(ring, Math.min(Math.max(at - now(), 0), MAX_TIMER_MS)).unref();
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
