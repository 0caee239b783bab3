/** Work that is under way, by a key: whoever asks for the same meanwhile shares its outcome. */
export interface InFlight<TResult> {
  share(key: string, work: () => Promise<TResult>): Promise<TResult>;
}

/** Remembers work only while it is under way. */
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
