import type { LoggedEvent } from "./logged-event.js";

/** The last events of a log, in memory: enough for every reader that keeps up. */
export interface Tail {
  push(logged: LoggedEvent): void;
  /** What follows a place, at most `limit`; undefined where the tail does not reach back that far. */
  read(after: number, limit: number): readonly LoggedEvent[] | undefined;
  clear(): void;
}

const MAX_EVENTS = 2048;
const MAX_BYTES = 2 * 1024 * 1024;

/** A tail that holds at most so many events and about so many bytes. */
export function createTail(): Tail {
  const kept = new Map<number, { readonly logged: LoggedEvent; readonly size: number }>();
  let firstSeq = 0;
  let bytes = 0;

  function dropFirst(): void {
    bytes -= kept.get(firstSeq)?.size ?? 0;
    kept.delete(firstSeq);
    firstSeq += 1;
  }

  return {
    push(logged) {
      if (kept.size === 0) firstSeq = logged.seq;
      const size = sizeOf(logged);
      kept.set(logged.seq, { logged, size });
      bytes += size;
      while (kept.size > MAX_EVENTS || (bytes > MAX_BYTES && kept.size > 0)) dropFirst();
    },
    read(after, limit) {
      if (kept.size === 0 || after + 1 < firstSeq) return undefined;
      const events: LoggedEvent[] = [];
      for (let seq = after + 1; events.length < limit; seq += 1) {
        const found = kept.get(seq);
        if (found === undefined) break;
        events.push(found.logged);
      }
      return events;
    },
    clear() {
      kept.clear();
      bytes = 0;
    },
  };
}

// An estimate of what an event and its text in one dialect take; a shell's output is what counts.
function sizeOf({ event }: LoggedEvent): number {
  const content = event.kind === "TEXT_CONTENT" ? event.text.length : JSON.stringify(event).length;
  return 1024 + 2 * content;
}
