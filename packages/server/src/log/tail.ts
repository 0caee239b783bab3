import type { LoggedEvent } from "./logged-event.js";

/** The last events of a log in memory. Subscribers that keep up read them from here. */
export interface Tail {
  push(logged: LoggedEvent): void;
  /** Returns at most `limit` events after a position; undefined if the tail does not reach back that far. */
  read(after: number, limit: number): readonly LoggedEvent[] | undefined;
  clear(): void;
}

const MAX_BYTES = 2 * 1024 * 1024;
/** Number of dropped events after which the arrays are shortened. */
const MAX_DROPPED = 256;

/** Creates an empty tail. */
export function createTail(): Tail {
  return new EventTail();
}

class EventTail implements Tail {
  // Positions have no gaps, so an event is found by its index. The first `dropped` elements are no longer used.
  private events: LoggedEvent[] = [];
  private sizes: number[] = [];
  private dropped = 0;
  private bytes = 0;

  push(logged: LoggedEvent): void {
    const size = sizeOf(logged);
    this.events.push(logged);
    this.sizes.push(size);
    this.bytes += size;
    while (this.bytes > MAX_BYTES) this.dropFirst();
  }

  read(after: number, limit: number): readonly LoggedEvent[] | undefined {
    const first = this.events[this.dropped];
    if (first === undefined || after + 1 < first.position) return undefined;
    const start = this.dropped + after + 1 - first.position;
    return this.events.slice(start, start + limit);
  }

  clear(): void {
    this.events = [];
    this.sizes = [];
    this.dropped = 0;
    this.bytes = 0;
  }

  private dropFirst(): void {
    this.bytes -= this.sizes[this.dropped] ?? 0;
    this.dropped += 1;
    if (this.dropped < MAX_DROPPED && this.dropped < this.events.length) return;
    this.events = this.events.slice(this.dropped);
    this.sizes = this.sizes.slice(this.dropped);
    this.dropped = 0;
  }
}

// Estimates the memory of an event and of its frame in one dialect.
function sizeOf({ event }: LoggedEvent): number {
  const content = event.kind === "TEXT_CONTENT" ? event.text.length : JSON.stringify(event).length;
  return 1024 + 2 * content;
}
