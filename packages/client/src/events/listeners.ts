/** Callbacks that are told the same things. */
export interface Listeners<TValue> {
  readonly size: number;
  /** Adds one; returns how to take it away. The same function twice is two listeners. */
  add(listener: (value: TValue) => void): () => void;
  tell(value: TValue): void;
}

/** Keeps callbacks. One that throws disturbs neither the others nor whoever tells them. */
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
    tell(value) {
      for (const entry of [...entries]) {
        // Taken away by one that was told before it.
        if (!entries.has(entry)) continue;
        try {
          entry.listener(value);
        } catch (fault) {
          // A fault of the listener's own: seen as any uncaught one, outside of our work.
          queueMicrotask(() => {
            throw fault;
          });
        }
      }
    },
  };
}
