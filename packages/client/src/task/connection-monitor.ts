import type { ConnectionState } from "../agent-client.js";
import { createListeners } from "../events/listeners.js";

/** Who wants to know about the connection, and what they were told last. */
export interface ConnectionMonitor {
  report(state: ConnectionState): void;
  onChange(listener: (state: ConnectionState) => void): () => void;
}

/** Tells listeners of changes, not of repetitions. */
export function createConnectionMonitor(): ConnectionMonitor {
  const listeners = createListeners<ConnectionState>();
  let status: ConnectionState["status"] = "connected";
  return {
    report(state) {
      if (state.status === status && status !== "reconnecting") return;
      if (status === "closed") return;
      status = state.status;
      listeners.tell(state);
    },
    onChange: listeners.add,
  };
}
