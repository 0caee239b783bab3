import type { EventKind, SessionEvent } from "@dt/schema";
import type { MemoryLedger } from "./memory-ledger.js";

type EventOf<TKind extends EventKind> = Extract<SessionEvent, { kind: TKind }>;
type Handler<TKind extends EventKind> = (event: EventOf<TKind>) => void;

/** Delivers events by kind to code that embeds the agent. */
export interface EventBus extends Disposable {
  /** Calls the handler with every later event of a kind, including live output. */
  on<TKind extends EventKind>(kind: TKind, handler: Handler<TKind>): void;
  /** Removes a handler. */
  off<TKind extends EventKind>(kind: TKind, handler: Handler<TKind>): void;
  /** Calls the handlers of the event's kind. The ledger does this; a test may do it too. */
  emit(event: SessionEvent): void;
}

/**
 * Opens a bus that emits each event after the ledger has committed it, until the bus is disposed
 * of.
 */
export function openEventBus(ledger: MemoryLedger): EventBus {
  const handlers = new Map<EventKind, Set<(event: SessionEvent) => void>>();

  function emit(event: SessionEvent): void {
    for (const handler of [...(handlers.get(event.kind) ?? [])]) handler(event);
  }

  const stop = ledger.subscribe(emit);
  return {
    on(kind, handler) {
      const known = handlers.get(kind) ?? new Set();
      // The cast is safe because only events of this kind reach the handler.
      known.add(handler as (event: SessionEvent) => void);
      handlers.set(kind, known);
    },
    off(kind, handler) {
      handlers.get(kind)?.delete(handler as (event: SessionEvent) => void);
    },
    emit,
    [Symbol.dispose]: stop,
  };
}
