import type { SessionEvent } from "@dt/schema";

/** Passes events on to any number of subscribers. */
export interface EventFeed {
  publish(event: SessionEvent): void;
  /** Yields each event that is published from now on, until the signal aborts. */
  events(signal: AbortSignal): AsyncIterable<readonly SessionEvent[]>;
}

/** Maximum number of events that are buffered for one subscriber. A subscriber with more gets an error. */
const MAX_BUFFERED = 10_000;

/** Creates a feed without subscribers. */
export function createEventFeed(): EventFeed {
  const subscribers = new Set<Subscriber>();
  return {
    publish(event) {
      for (const subscriber of subscribers) subscriber.add(event);
    },
    events(signal) {
      const subscriber = createSubscriber();
      subscribers.add(subscriber);
      return subscriber.read(signal, () => subscribers.delete(subscriber));
    },
  };
}

interface Subscriber {
  add(event: SessionEvent): void;
  read(signal: AbortSignal, onEnd: () => void): AsyncIterable<readonly SessionEvent[]>;
}

function createSubscriber(): Subscriber {
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
            throw new Error(`a subscriber is more than ${MAX_BUFFERED} events behind`);
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
