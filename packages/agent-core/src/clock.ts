/** The clocks that the agent uses. */
export interface AgentClock {
  /** Wall time, for dates that people see. */
  now(): Date;
  /** Monotonic clock: milliseconds since an arbitrary moment. */
  elapsedMs(): number;
}

/** The clock of this machine, which is the default. No other code of this package reads the time. */
export const MACHINE_CLOCK: AgentClock = {
  now: () => new Date(),
  elapsedMs: () => performance.now(),
};
