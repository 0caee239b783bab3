import type { ConnectionState } from "../agent-client.js";
import { createListeners } from "../events/listeners.js";

/** State of the connection, and its listeners. */
export interface ConnectionMonitor {
  /** Last reported state; connected at first. */
  readonly state: ConnectionState;
  report(state: ConnectionState): void;
  onChange(listener: (state: ConnectionState) => void): () => void;
}

/** Creates a monitor. It notifies listeners of changes only. */
export function createConnectionMonitor(): ConnectionMonitor {
  const listeners = createListeners<ConnectionState>();
  let last: ConnectionState = { status: "connected" };
  return {
    get state() {
      return last;
    },
    report(state) {
      if (state.status === last.status && last.status !== "reconnecting") return;
      if (last.status === "closed") return;
      last = state;
      listeners.notify(state);
    },
    onChange: listeners.add,
  };
}
