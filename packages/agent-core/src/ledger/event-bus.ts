import type { EventKind, SessionEvent } from "@dt/schema";
import type { MemoryLedger } from "./memory-ledger.js";

type EventOf<TKind extends EventKind> = Extract<SessionEvent, { kind: TKind }>;
type Handler<TKind extends EventKind> = (event: EventOf<TKind>) => void;

/** Events by their kind, for code that embeds the agent. */
export interface EventBus extends Disposable {
  /** Calls the handler with every event of a kind, live output too, from now on. */
  on<TKind extends EventKind>(kind: TKind, handler: Handler<TKind>): void;
  /** Stops that. */
  off<TKind extends EventKind>(kind: TKind, handler: Handler<TKind>): void;
  /** Calls the handlers of an event's kind: what the ledger does, and what a test may do. */
  emit(event: SessionEvent): void;
}

/** A bus that emits what a ledger commits, once it is committed, until it is disposed of. */
export function openEventBus(ledger: MemoryLedger): EventBus {
  const handlers = new Map<EventKind, Set<(event: SessionEvent) => void>>();

  function emit(event: SessionEvent): void {
    for (const handler of [...(handlers.get(event.kind) ?? [])]) handler(event);
  }

  const stop = ledger.observe(emit);
  return {
    on(kind, handler) {
      const known = handlers.get(kind) ?? new Set();
      // Only events of this kind ever reach it.
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
