import type { ConnectionState } from "../agent-client.js";
import { createListeners } from "../events/listeners.js";

/** Who wants to know about the connection, and what they were told last. */
export interface ConnectionMonitor {
  /** What was reported last; connected at first. */
  readonly state: ConnectionState;
  report(state: ConnectionState): void;
  onChange(listener: (state: ConnectionState) => void): () => void;
}

/** Tells listeners of changes, not of repetitions. */
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
      listeners.tell(state);
    },
    onChange: listeners.add,
  };
}
