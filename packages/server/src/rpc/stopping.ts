/** The calls that a server must answer before it stops. */
export interface Stopping {
  /** Aborts when the server no longer waits for running turns. Calls that still wait for a turn then fail. */
  readonly signal: AbortSignal;
  /** Tracks a call until it is answered. */
  track<TAnswer>(answer: Promise<TAnswer>): Promise<TAnswer>;
  /** Aborts the signal; resolves when every call is answered. */
  stop(): Promise<void>;
}

/** Creates an empty list of calls. */
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
