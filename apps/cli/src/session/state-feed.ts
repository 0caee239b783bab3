import type { StopSignal } from "@dt/schema";

/** Gives any number of readers the newest state of something that changes. */
export interface StateFeed<TState> {
  /** Wakes the readers, because the state may have changed. */
  notify(): void;
  /**
   * Yields the current state, then the newest state after each change, until the signal aborts or the feed is
   * closed. A slow reader skips states, but never the last one.
   */
  states(signal: StopSignal): AsyncGenerator<TState, void, undefined>;
  close(): void;
}

/** Creates a feed; `read` returns the current state. */
export function createStateFeed<TState>(read: () => TState): StateFeed<TState> {
  const waiting = new Set<() => void>();
  let version = 0;
  let isClosed = false;

  function wakeAll(): void {
    for (const wake of [...waiting]) wake();
  }

  function nextChange(signal: StopSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        waiting.delete(wake);
        signal.removeEventListener("abort", wake);
        resolve();
      };
      waiting.add(wake);
      signal.addEventListener("abort", wake);
    });
  }

  return {
    notify() {
      version += 1;
      wakeAll();
    },
    async *states(signal) {
      let seen = -1;
      while (!signal.aborted) {
        if (seen !== version) {
          seen = version;
          yield read();
          continue;
        }
        if (isClosed) return;
        await nextChange(signal);
      }
    },
    close() {
      isClosed = true;
      wakeAll();
    },
  };
}
