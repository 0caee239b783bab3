/** The network before a fake agent, which a test can break. */
export interface FakeNetwork {
  readonly isOnline: boolean;
  /** Ends every connection that is open, as a cut cable would. */
  cut(): void;
  /** Cuts, and refuses new connections until {@link goOnline}. */
  goOffline(): void;
  goOnline(): void;
  /** Registers how one connection is ended; gives how to forget it. */
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
