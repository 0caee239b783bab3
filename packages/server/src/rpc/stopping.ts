/** Calls that are answered once, and the end of the server that some of them wait through. */
export interface Stopping {
  /** Aborts when the server has waited long enough for turns: whoever waits for one is told so. */
  readonly signal: AbortSignal;
  /** Counts a call until it is answered. */
  track<TAnswer>(answer: Promise<TAnswer>): Promise<TAnswer>;
  /** Aborts the signal; resolves when every call has its answer. */
  stop(): Promise<void>;
}

/** Nothing stops yet. */
export function createStopping(): Stopping {
  const stopped = new AbortController();
  const calls = new Set<Promise<unknown>>();
  return {
    signal: stopped.signal,
    track(answer) {
      calls.add(answer);
      const forget = () => calls.delete(answer);
      answer.then(forget, forget);
      return answer;
    },
    async stop() {
      stopped.abort();
      await Promise.allSettled(calls);
    },
  };
}
