import type { Waits } from "../state/screen-state.js";

/** Timers for what waits until nothing has followed the last key. */
export interface KeyWaits {
  /** Starts all of them anew. */
  restart(waits: Waits): void;
  clear(): void;
}

/** Creates the timers; `onOver` says which wait is over. */
export function createKeyWaits(onOver: (wait: keyof Waits) => void): KeyWaits {
  let timers: readonly NodeJS.Timeout[] = [];

  function clear(): void {
    for (const timer of timers) clearTimeout(timer);
    timers = [];
  }

  return {
    clear,
    restart(waits) {
      clear();
      const started = Object.entries(waits) as [keyof Waits, number][];
      timers = started.map(([wait, ms]) => setTimeout(() => onOver(wait), ms));
    },
  };
}
