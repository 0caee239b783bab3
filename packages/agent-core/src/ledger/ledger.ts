import type { LedgerEntry, StampedEvent } from "@dt/schema";

/**
 * Where a session commits every step: what observers see and what a restore needs, at once.
 *
 * Whoever hosts the session provides it; {@link openMemoryLedger} serves those who need no disk.
 */
export interface Ledger {
  /**
   * Commits an entry; entries are committed in the order of the calls. Resolves, once it is durable
   * (if it is critical, against the loss of power too), with the place of its last event (of the last event before, if it has none).
   */
  append(entry: LedgerEntry): Promise<number>;
  /** Shows an event to those who watch now. It is not logged and takes no place. */
  publishLive(event: StampedEvent): void;
}
