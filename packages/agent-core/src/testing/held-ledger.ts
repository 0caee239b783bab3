import type { LedgerEntry } from "@dt/schema";
import { type MemoryLedger, openMemoryLedger } from "../ledger/memory-ledger.js";

/** A ledger in memory whose commits can be held back one by one, or refused. */
export interface HeldLedger extends MemoryLedger {
  /** Holds back each matching entry and all entries after it. By default, every entry matches. */
  hold(fits?: (entry: LedgerEntry) => boolean): void;
  /** Resolves with the first held entry. Waits if no entry is held. */
  nextHeld(): Promise<LedgerEntry>;
  /** Commits the first held entry, and all held entries before the next matching entry. */
  releaseOne(): void;
  /** Commits all held entries and stops holding. */
  release(): void;
  /** Refuses every commit from now on. */
  refuse(reason: Error): void;
}

interface Waiting {
  readonly entry: LedgerEntry;
  settle(): void;
}

/** Opens a ledger that holds back nothing yet. The append of a held entry resolves after its release. */
export function openHeldLedger(): HeldLedger {
  const ledger = openMemoryLedger();
  const waiting: Waiting[] = [];
  let waiters: ((entry: LedgerEntry) => void)[] = [];
  let fits: (entry: LedgerEntry) => boolean = () => false;
  let refusal: Error | undefined;

  async function commit(entry: LedgerEntry): Promise<number> {
    if (refusal !== undefined) throw refusal;
    return await ledger.append(entry);
  }

  function releaseUntilMatch(): void {
    for (let first = waiting[0]; first !== undefined; first = waiting[0]) {
      if (fits(first.entry)) {
        for (const notify of waiters) notify(first.entry);
        waiters = [];
        return;
      }
      waiting.shift();
      first.settle();
    }
  }

  return {
    ...ledger,
    append: (entry) =>
      new Promise((resolve, reject) => {
        waiting.push({ entry, settle: () => void commit(entry).then(resolve, reject) });
        releaseUntilMatch();
      }),
    hold(matches = () => true) {
      fits = matches;
    },
    nextHeld() {
      const [first] = waiting;
      if (first !== undefined) return Promise.resolve(first.entry);
      return new Promise((resolve) => waiters.push(resolve));
    },
    releaseOne() {
      waiting.shift()?.settle();
      releaseUntilMatch();
    },
    release() {
      fits = () => false;
      releaseUntilMatch();
    },
    refuse(reason) {
      refusal = reason;
    },
  };
}
