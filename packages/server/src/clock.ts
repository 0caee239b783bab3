/** The clock of a server. No other file of this package reads the system clock. */
export interface Clock {
  /** The wall clock. */
  now(): Date;
  /** A monotonic clock in milliseconds. */
  elapsedMs(): number;
}

/** The clock of this machine. */
export const systemClock: Clock = {
  now: () => new Date(),
  elapsedMs: () => performance.now(),
};

/** Creates a clock from the given functions. A missing function is taken from {@link systemClock}. */
export function toClock({ now, elapsedMs }: Partial<Clock>): Clock {
  return { now: now ?? systemClock.now, elapsedMs: elapsedMs ?? systemClock.elapsedMs };
}
