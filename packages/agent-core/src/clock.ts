/** The time, as the agent reads it. */
export interface AgentClock {
  /** Wall time, for dates that people see. */
  now(): Date;
  /** Milliseconds since an arbitrary moment. A change of the wall clock does not affect them. */
  elapsedMs(): number;
}

/** The clock of this machine: the default, and the only code of the package that reads the time. */
export const MACHINE_CLOCK: AgentClock = {
  now: () => new Date(),
  elapsedMs: () => performance.now(),
};
