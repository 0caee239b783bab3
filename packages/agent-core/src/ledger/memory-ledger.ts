import type { AgentLedger, JsonObject, LedgerEntry, SessionEvent, StampedEvent } from "@dt/schema";

/** A ledger in memory that can be read and subscribed to. */
export interface MemoryLedger extends AgentLedger {
  /** All committed events, oldest first; `cursor` is the position as a string. */
  readonly events: readonly SessionEvent[];
  /** All journal records, oldest first. */
  readonly journal: readonly JsonObject[];
  /** Yields the events after a position, then each new one, until `signal` aborts. */
  read(options?: { after?: number; signal?: AbortSignal }): AsyncIterableIterator<SessionEvent>;
  /**
   * Calls the subscriber with every event from now on, including live output; returns a function that
   * ends the subscription.
   */
  subscribe(subscriber: (event: SessionEvent) => void): () => void;
}

/** Options of {@link openMemoryLedger}. */
export interface MemoryLedgerOptions {
  readonly contextId?: string;
}

/** Opens a ledger for programs that embed the agent and store nothing. */
export function openMemoryLedger({
  contextId = "session",
}: MemoryLedgerOptions = {}): MemoryLedger {
  const events: SessionEvent[] = [];
  const journal: JsonObject[] = [];
  const subscribers = new Set<(event: SessionEvent) => void>();

  function publish(event: SessionEvent): void {
    for (const subscriber of [...subscribers]) subscriber(event);
  }

  return {
    events,
    journal,
    async append(entry: LedgerEntry) {
      const position = events.length;
      const committed = entry.events.map(({ turn: _, ...event }, index) => ({
        ...event,
        contextId,
        cursor: String(position + index + 1),
      }));
      events.push(...committed);
      journal.push(...(entry.journal ?? []));
      for (const event of committed) publish(event);
      return position;
    },
    publishLive({ turn: _, ...event }: StampedEvent) {
      publish({ ...event, contextId });
    },
    subscribe(subscriber) {
      subscribers.add(subscriber);
      return () => subscribers.delete(subscriber);
    },
    async *read({ after = 0, signal } = {}) {
      let position = after;
      while (signal?.aborted !== true) {
        const event = events[position];
        if (event !== undefined) {
          position += 1;
          yield event;
        } else {
          await nextEvent(signal);
        }
      }
    },
  };

  function nextEvent(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const finish = () => {
        subscribers.delete(finish);
        signal?.removeEventListener("abort", finish);
        resolve();
      };
      subscribers.add(finish);
      signal?.addEventListener("abort", finish);
    });
  }
}
