import type { AgentLedger, LedgerEntry, StampedEvent } from "@dt/schema";

/** Appends entries to a ledger in order, and remembers whether one failed. */
export interface LedgerWriter {
  /** Throws the reason of the first append that failed. */
  check(): void;
  /** Appends an entry after all published events. Resolves with the position before its first event. */
  append(entry: LedgerEntry): Promise<number>;
  /** Appends an event soon, together with those that are published in the same tick. */
  publish(event: StampedEvent): void;
  /** Resolves when everything so far is committed; rejects if any append has ever failed. */
  flush(): Promise<void>;
  /** Number of events and entries that are not committed yet. */
  readonly inFlight: number;
  /** Resolves when the next entry is committed, or on abort. */
  nextChange(signal: AbortSignal): Promise<void>;
}

/** Creates a writer that has written nothing yet. */
export function createLedgerWriter(ledger: Pick<AgentLedger, "append">): LedgerWriter {
  let lastAppend: Promise<unknown> = Promise.resolve();
  let inFlight = 0;
  let fault: { readonly reason: unknown } | undefined;
  let watchers: (() => void)[] = [];
  /** Published events that no entry has taken yet. */
  let published: StampedEvent[] = [];

  async function append(entry: LedgerEntry): Promise<number> {
    const size = Math.max(1, entry.events?.length ?? 0);
    inFlight += size;
    try {
      const appended = ledger.append(entry);
      lastAppend = appended;
      return await appended;
    } catch (reason) {
      fault ??= { reason };
      throw reason;
    } finally {
      inFlight -= size;
      const notified = watchers;
      watchers = [];
      for (const notify of notified) notify();
    }
  }

  function appendPublished(): void {
    if (published.length === 0) return;
    const events = published;
    published = [];
    append({ events }).catch(() => {});
  }

  function check(): void {
    if (fault !== undefined) throw fault.reason;
  }

  return {
    check,
    append(entry) {
      appendPublished();
      return append(entry);
    },
    publish(event) {
      if (fault !== undefined) return;
      published.push(event);
      // Runs after all parts that the model has ready, but before the event loop continues.
      if (published.length === 1) process.nextTick(appendPublished);
    },
    async flush() {
      appendPublished();
      await lastAppend;
      check();
    },
    nextChange(signal) {
      if (signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const finish = () => {
          signal.removeEventListener("abort", finish);
          resolve();
        };
        signal.addEventListener("abort", finish);
        watchers.push(finish);
      });
    },
    get inFlight() {
      return inFlight + published.length;
    },
  };
}
