import type { AgentLedger, LedgerEntry, StampedEvent } from "@dt/schema";

/** Appends entries to a ledger in order, and remembers whether an append has failed. */
export interface LedgerWriter {
  /** Throws if an append has failed. The error is the reason of the first failure. */
  check(): void;
  /** Appends an entry after all published events. Resolves with the position before the entry's first event. */
  append(entry: LedgerEntry): Promise<number>;
  /** Appends an event soon, in one entry with all events that are published in the same tick. */
  publish(event: StampedEvent): void;
  /** Resolves when everything so far is committed; rejects if any append has ever failed. */
  flush(): Promise<void>;
  /** Number of events, and of entries without events, that are not committed yet. */
  readonly inFlight: number;
  /** Resolves when the next entry is committed or refused, or when the signal aborts. */
  nextChange(signal: AbortSignal): Promise<void>;
}

/** Creates a writer for a ledger. */
export function createLedgerWriter(ledger: Pick<AgentLedger, "append">): LedgerWriter {
  return new OrderedLedgerWriter(ledger);
}

/** This is a class, because closures would cost memory in every session. */
class OrderedLedgerWriter implements LedgerWriter {
  private readonly ledger: Pick<AgentLedger, "append">;
  private lastAppend: Promise<unknown> | undefined;
  private unfinished = 0;
  private fault: { readonly reason: unknown } | undefined;
  private waiters: (() => void)[] = [];
  /** Published events that are not part of an entry yet. */
  private published: StampedEvent[] = [];

  constructor(ledger: Pick<AgentLedger, "append">) {
    this.ledger = ledger;
  }

  check(): void {
    if (this.fault !== undefined) throw this.fault.reason;
  }

  append(entry: LedgerEntry): Promise<number> {
    this.appendPublished();
    return this.appendEntry(entry);
  }

  publish(event: StampedEvent): void {
    if (this.fault !== undefined) return;
    this.published.push(event);
    // The callback runs after the model has published all parts that it has ready, and before the event loop
    // continues.
    if (this.published.length === 1) process.nextTick(() => this.appendPublished());
  }

  async flush(): Promise<void> {
    this.appendPublished();
    await this.lastAppend;
    this.check();
  }

  nextChange(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const finish = () => {
        signal.removeEventListener("abort", finish);
        resolve();
      };
      signal.addEventListener("abort", finish);
      this.waiters.push(finish);
    });
  }

  get inFlight(): number {
    return this.unfinished + this.published.length;
  }

  private async appendEntry(entry: LedgerEntry): Promise<number> {
    const size = Math.max(1, entry.events?.length ?? 0);
    this.unfinished += size;
    try {
      const appended = this.ledger.append(entry);
      this.lastAppend = appended;
      return await appended;
    } catch (reason) {
      this.fault ??= { reason };
      throw reason;
    } finally {
      this.unfinished -= size;
      const notified = this.waiters;
      this.waiters = [];
      for (const notify of notified) notify();
    }
  }

  private appendPublished(): void {
    if (this.published.length === 0) return;
    const events = this.published;
    this.published = [];
    this.appendEntry({ events }).catch(() => {});
  }
}
