/** The streams of a server that have not ended. */
export interface OpenStreams {
  readonly size: number;
  /** Adds a stream. `end` is called when the server stops. Call the returned function when the stream has ended. */
  add(end: () => void): () => void;
  /** Ends all streams. */
  end(): void;
}

/** Creates an empty list of streams. */
export function createOpenStreams(onChange: () => void): OpenStreams {
  const open = new Set<() => void>();
  return {
    get size() {
      return open.size;
    },
    add(end) {
      open.add(end);
      onChange();
      return () => {
        if (open.delete(end)) onChange();
      };
    },
    end() {
      for (const end of open) end();
    },
  };
}
