/** The network in front of a fake agent, which a test can break. */
export interface FakeNetwork {
  readonly isOnline: boolean;
  /** Ends every open connection. */
  cut(): void;
  /** Ends every connection, and refuses new ones until {@link goOnline}. */
  goOffline(): void;
  goOnline(): void;
  /** Registers a function that ends one connection; returns a function that unregisters it. */
  onCut(end: () => void): () => void;
}

/** Creates a network that works. */
export function createFakeNetwork(): FakeNetwork {
  const ends = new Set<() => void>();
  let isOnline = true;
  function cut(): void {
    for (const end of [...ends]) end();
    ends.clear();
  }
  return {
    get isOnline() {
      return isOnline;
    },
    cut,
    goOffline() {
      isOnline = false;
      cut();
    },
    goOnline() {
      isOnline = true;
    },
    onCut(end) {
      ends.add(end);
      return () => void ends.delete(end);
    },
  };
}
