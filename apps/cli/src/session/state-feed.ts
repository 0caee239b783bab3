import type { StopSignal } from "@dt/schema";

/** Passes the newest state of something that changes to any number of subscribers. */
export interface StateFeed<TState> {
  /** Notifies the subscribers, because the state may have changed. */
  notify(): void;
  /**
   * Yields the current state, then the newest state after each change, until the signal aborts or the feed is
   * closed. A slow subscriber skips states, but never the last one.
   */
  states(signal: StopSignal): AsyncGenerator<TState, void, undefined>;
  close(): void;
}

/** Creates a feed; `read` returns the current state. */
export function createStateFeed<TState>(read: () => TState): StateFeed<TState> {
  const waiting = new Set<() => void>();
  let version = 0;
  let isClosed = false;

  function resumeAll(): void {
    for (const resume of [...waiting]) resume();
  }

  function nextChange(signal: StopSignal): Promise<void> {
    return new Promise((resolve) => {
      const resume = () => {
        waiting.delete(resume);
        signal.removeEventListener("abort", resume);
        resolve();
      };
      waiting.add(resume);
      signal.addEventListener("abort", resume);
    });
  }

  return {
    notify() {
      version += 1;
      resumeAll();
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
      resumeAll();
    },
  };
}
