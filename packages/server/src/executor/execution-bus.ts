import type { AgentExecutionEvent, ExecutionEventBus } from "@a2a-js/sdk/server";

type Listener = (event: AgentExecutionEvent) => void;

/** Creates the bus of one execution. `publish` calls `onEvent` before it returns. Executors cannot remove `onEvent`. */
export function createExecutionBus(onEvent: Listener): ExecutionEventBus {
  const listeners = {
    event: new Map<Listener, Listener>([[onEvent, onEvent]]),
    finished: new Map<() => void, () => void>(),
  };
  const bus: ExecutionEventBus = {
    publish(event) {
      for (const listener of [...listeners.event.values()]) listener(event);
    },
    finished() {
      for (const listener of [...listeners.finished.values()]) listener();
    },
    on(name: string, listener: Listener & (() => void)) {
      mapOf(name).set(listener, listener);
      return bus;
    },
    once(name: string, listener: Listener & (() => void)) {
      mapOf(name).set(listener, (event: AgentExecutionEvent) => {
        mapOf(name).delete(listener);
        listener(event);
      });
      return bus;
    },
    off(name: string, listener: Listener & (() => void)) {
      if (listener !== onEvent) mapOf(name).delete(listener);
      return bus;
    },
    removeAllListeners(name) {
      if (name !== "finished") {
        listeners.event.clear();
        listeners.event.set(onEvent, onEvent);
      }
      if (name !== "event") listeners.finished.clear();
      return bus;
    },
  };
  function mapOf(name: string): Map<Listener, Listener> {
    return (name === "event" ? listeners.event : listeners.finished) as Map<Listener, Listener>;
  }
  return bus;
}
