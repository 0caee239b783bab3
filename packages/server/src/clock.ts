/** The time, as the server reads it. */
export interface Clock {
  /** The wall clock. */
  now(): Date;
  /** Milliseconds since some moment; a change of the wall clock does not move it. */
  elapsedMs(): number;
}

/** The clock of this machine. */
export const systemClock: Clock = {
  now: () => new Date(),
  elapsedMs: () => performance.now(),
};

/** A clock with the parts that were given; the others are those of this machine. */
export function toClock({ now, elapsedMs }: Partial<Clock>): Clock {
  return { now: now ?? systemClock.now, elapsedMs: elapsedMs ?? systemClock.elapsedMs };
}
