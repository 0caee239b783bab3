/** A set of callbacks that are called with the same values. */
export interface Listeners<TValue> {
  readonly size: number;
  /** Adds a listener; returns a function that removes it. A listener that is added twice is called twice. */
  add(listener: (value: TValue) => void): () => void;
  notify(value: TValue): void;
}

/** Creates an empty set. If one listener throws, the others are still called, and `notify` does not throw. */
export function createListeners<TValue>(): Listeners<TValue> {
  const entries = new Set<{ readonly listener: (value: TValue) => void }>();
  return {
    get size() {
      return entries.size;
    },
    add(listener) {
      const entry = { listener };
      entries.add(entry);
      return () => void entries.delete(entry);
    },
    notify(value) {
      for (const entry of [...entries]) {
        // An earlier listener has removed this listener.
        if (!entries.has(entry)) continue;
        try {
          entry.listener(value);
        } catch (fault) {
          // The error is thrown in a microtask, so that the platform reports it as uncaught.
          queueMicrotask(() => {
            throw fault;
          });
        }
      }
    },
  };
}
