import type { SessionEvent } from "@dt/schema";

/** Passes events on to any number of readers. */
export interface EventFeed {
  publish(event: SessionEvent): void;
  /** Yields each event that is published from now on, until the signal aborts. */
  events(signal: AbortSignal): AsyncIterable<readonly SessionEvent[]>;
}

/** Maximum number of events that are buffered for one reader. A slower reader gets an error. */
const MAX_BUFFERED = 10_000;

/** Creates a feed without readers. */
export function createEventFeed(): EventFeed {
  const readers = new Set<Reader>();
  return {
    publish(event) {
      for (const reader of readers) reader.add(event);
    },
    events(signal) {
      const reader = createReader();
      readers.add(reader);
      return reader.read(signal, () => readers.delete(reader));
    },
  };
}

interface Reader {
  add(event: SessionEvent): void;
  read(signal: AbortSignal, onEnd: () => void): AsyncIterable<readonly SessionEvent[]>;
}

function createReader(): Reader {
  let buffer: SessionEvent[] = [];
  let wake = () => {};
  return {
    add(event) {
      if (buffer.length <= MAX_BUFFERED) buffer.push(event);
      wake();
    },
    async *read(signal, onEnd) {
      const onAbort = () => wake();
      signal.addEventListener("abort", onAbort);
      try {
        while (!signal.aborted) {
          if (buffer.length > MAX_BUFFERED) {
            throw new Error(`a reader of the session is more than ${MAX_BUFFERED} events behind`);
          }
          const batch = buffer;
          buffer = [];
          if (batch.length > 0) yield batch;
          else {
            await new Promise<void>((resolve) => {
              wake = resolve;
            });
          }
        }
      } finally {
        signal.removeEventListener("abort", onAbort);
        onEnd();
      }
    },
  };
}
