import type { KeyTimeouts } from "../state/screen-state.js";

/** Timers that start again with every key. */
export interface KeyTimers {
  /** Stops all timers and starts one timer for each timeout. */
  restart(timeouts: KeyTimeouts): void;
  clear(): void;
}

/** Creates the timers; `onTimeout` gets the name of the timeout that has passed. */
export function createKeyTimers(onTimeout: (name: keyof KeyTimeouts) => void): KeyTimers {
  let timers: readonly NodeJS.Timeout[] = [];

  function clear(): void {
    for (const timer of timers) clearTimeout(timer);
    timers = [];
  }

  return {
    clear,
    restart(timeouts) {
      clear();
      const started = Object.entries(timeouts) as [keyof KeyTimeouts, number][];
      timers = started.map(([name, ms]) => setTimeout(() => onTimeout(name), ms));
    },
  };
}
