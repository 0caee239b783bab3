import type { SessionEvent } from "../event/agent-event.js";

type Named<TEvent, TKey extends keyof TEvent, TName> = Extract<TEvent, Record<TKey, TName>>;

/**
 * Delivers events by name to code that embeds the agent. `TKey` is the field of an event that
 * contains the name.
 */
export interface EventBus<TEvent, TKey extends keyof TEvent> {
  /** Adds a handler. The bus calls it with every later event that has this name. */
  on<TName extends TEvent[TKey]>(
    name: TName,
    handler: (event: Named<TEvent, TKey, TName>) => void,
  ): void;
  /** Removes a handler. */
  off<TName extends TEvent[TKey]>(
    name: TName,
    handler: (event: Named<TEvent, TKey, TName>) => void,
  ): void;
  /** Calls the handlers that were added for the name of the event. */
  emit(event: TEvent): void;
}

/** Creates a bus for the events of a session. The name of an event is its kind. */
export function createEventBus(): EventBus<SessionEvent, "kind"> {
  return createBusBy<SessionEvent, "kind">("kind");
}

/** Creates a bus for events whose name is in the field `key`. */
export function createBusBy<TEvent, TKey extends keyof TEvent>(key: TKey): EventBus<TEvent, TKey> {
  const handlers = new Map<unknown, Set<(event: TEvent) => void>>();
  return {
    on(name, handler) {
      const known = handlers.get(name) ?? new Set();
      // The cast is safe because only events of this name reach the handler.
      known.add(handler as (event: TEvent) => void);
      handlers.set(name, known);
    },
    off(name, handler) {
      handlers.get(name)?.delete(handler as (event: TEvent) => void);
    },
    emit(event) {
      // The loop uses a copy, because a handler may add or remove handlers.
      for (const handler of [...(handlers.get(event[key]) ?? [])]) handler(event);
    },
  };
}
