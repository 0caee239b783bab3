import type { ServerResponse } from "node:http";
import type { Call } from "../rpc/dispatch.js";
import type { RpcOutcome } from "../rpc/rpc-context.js";
import { HEARTBEAT_MS, openSse } from "./sse-response.js";

/**
 * Runs a call. A streaming call that waits for its turn or its session longer than the interval of heartbeats gets
 * headers and heartbeats. If it is refused after that, the error is sent as an event of the stream. An earlier
 * refusal is an ordinary error response, also on a slow machine.
 */
export async function runCall(
  call: Call,
  response: ServerResponse,
  heartbeatMs = HEARTBEAT_MS,
): Promise<RpcOutcome> {
  if (!call.isStreaming) return await call.run();
  const opening = setTimeout(() => {
    if (!response.headersSent && !response.destroyed) openSse(response, heartbeatMs);
  }, heartbeatMs);
  try {
    return await call.run();
  } finally {
    clearTimeout(opening);
  }
}
