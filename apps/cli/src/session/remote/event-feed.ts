import type { SessionEvent } from "@dt/schema";

/** Hands events on to readers. */
export interface EventFeed {
  publish(event: SessionEvent): void;
  /** Each event that is published from now on, until the signal aborts. */
  events(signal: AbortSignal): AsyncIterable<readonly SessionEvent[]>;
}

/** Events that may wait for one reader; a reader that is slower gets an error. */
const MAX_WAITING = 10_000;

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
  let waiting: SessionEvent[] = [];
  let wake = () => {};
  return {
    add(event) {
      if (waiting.length <= MAX_WAITING) waiting.push(event);
      wake();
    },
    async *read(signal, onEnd) {
      const onAbort = () => wake();
      signal.addEventListener("abort", onAbort);
      try {
        while (!signal.aborted) {
          if (waiting.length > MAX_WAITING) {
            throw new Error(`more than ${MAX_WAITING} events waited for one reader`);
          }
          const batch = waiting;
          waiting = [];
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
