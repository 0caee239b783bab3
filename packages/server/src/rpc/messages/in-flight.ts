/** Shares running work: callers with the same key get the same result. */
export interface InFlight<TResult> {
  share(key: string, work: () => Promise<TResult>): Promise<TResult>;
}

/** Creates an empty list of running work. Results are forgotten when the work has ended. */
export function createInFlight<TResult>(): InFlight<TResult> {
  const running = new Map<string, Promise<TResult>>();
  return {
    share(key, work) {
      const known = running.get(key);
      if (known !== undefined) return known;
      const started = work().finally(() => running.delete(key));
      running.set(key, started);
      return started;
    },
  };
}
