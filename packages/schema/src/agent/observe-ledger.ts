import type { SessionEvent, StampedEvent } from "../event/agent-event.js";
import type { AgentLedger } from "./agent-port.js";

/** Options of {@link observeLedger}. */
export interface LedgerObserver {
  /** Session that the events belong to. */
  readonly contextId: string;
  /** Called with each event after it was committed, and with live output. */
  onEvent(event: SessionEvent): void;
  /** Called if `onEvent` throws. The session continues. Default: the error is ignored. */
  onFault?(reason: unknown): void;
  /** Encodes the position of an event as its cursor. Default: events have no cursors. */
  cursorOf?(position: number): string;
}

/** Wraps any ledger, so that an observer gets each event after its commit. */
export function observeLedger(ledger: AgentLedger, observer: LedgerObserver): AgentLedger {
  const { contextId, cursorOf } = observer;

  function notify({ turn: _, ...event }: StampedEvent, position?: number): void {
    const cursor = position === undefined ? undefined : cursorOf?.(position);
    try {
      observer.onEvent({ ...event, contextId, ...(cursor !== undefined && { cursor }) });
    } catch (reason) {
      observer.onFault?.(reason);
    }
  }

  return {
    async append(entry) {
      const before = await ledger.append(entry);
      for (const [index, event] of entry.events.entries()) notify(event, before + index + 1);
      return before;
    },
    publishLive(event) {
      ledger.publishLive(event);
      notify(event);
    },
  };
}
