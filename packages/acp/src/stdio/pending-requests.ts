import type { AnyMessage, JsonRpcId } from "@agentclientprotocol/sdk";
import type { ErrorReply } from "./read-message.js";

/** Counts the requests of a peer that wait for an answer. */
export interface PendingRequests {
  /** Counts a message if it is a request. Returns an error for the peer if too many requests wait. */
  admit(message: AnyMessage): ErrorReply | undefined;
  /** Called with each message to the peer. An answer ends its request. */
  release(message: AnyMessage): void;
}

/** Creates a counter without requests. */
export function createPendingRequests(maxPending: number): PendingRequests {
  // Requests are counted by id, because a faulty peer may use an id twice.
  const counts = new Map<JsonRpcId, number>();
  let total = 0;

  function change(id: JsonRpcId, by: number): void {
    const count = (counts.get(id) ?? 0) + by;
    if (count < 0) return;
    if (count === 0) counts.delete(id);
    else counts.set(id, count);
    total += by;
  }

  return {
    admit(message) {
      if (!("method" in message && "id" in message)) return undefined;
      if (total < maxPending) {
        change(message.id, 1);
        return undefined;
      }
      const fault = `more than ${maxPending} requests wait for an answer; send fewer at once`;
      return { jsonrpc: "2.0", id: message.id, error: { code: -32600, message: fault } };
    },
    release(message) {
      if (!("method" in message)) change(message.id, -1);
    },
  };
}
