import type { LoggedEvent } from "./logged-event.js";

/** The last events of a log in memory. Subscribers that keep up read them from here. */
export interface Tail {
  push(logged: LoggedEvent): void;
  /** Returns at most `limit` events after a position; undefined if the tail does not reach back that far. */
  read(after: number, limit: number): readonly LoggedEvent[] | undefined;
  clear(): void;
}

const MAX_EVENTS = 2048;
const MAX_BYTES = 2 * 1024 * 1024;
/** Number of dropped events that may stay in the arrays. */
const MAX_DROPPED = 256;

/** Creates an empty tail. */
export function createTail(): Tail {
  // Arrays are enough, because positions have no gaps. Dropped events are removed from them many at a time.
  let events: LoggedEvent[] = [];
  let sizes: number[] = [];
  let dropped = 0;
  let bytes = 0;

  function dropFirst(): void {
    bytes -= sizes[dropped] ?? 0;
    dropped += 1;
    if (dropped < MAX_DROPPED && dropped < events.length) return;
    events = events.slice(dropped);
    sizes = sizes.slice(dropped);
    dropped = 0;
  }

  return {
    push(logged) {
      const size = sizeOf(logged);
      events.push(logged);
      sizes.push(size);
      bytes += size;
      while (events.length - dropped > MAX_EVENTS || (bytes > MAX_BYTES && events.length > 0)) {
        dropFirst();
      }
    },
    read(after, limit) {
      const first = events[dropped];
      if (first === undefined || after + 1 < first.position) return undefined;
      const start = dropped + after + 1 - first.position;
      return events.slice(start, start + limit);
    },
    clear() {
      events = [];
      sizes = [];
      dropped = 0;
      bytes = 0;
    },
  };
}

// Estimates the memory of an event and its text in one dialect.
function sizeOf({ event }: LoggedEvent): number {
  const content = event.kind === "TEXT_CONTENT" ? event.text.length : JSON.stringify(event).length;
  return 1024 + 2 * content;
}
