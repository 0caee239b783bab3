import type { ServerResponse } from "node:http";
import type { Call } from "../rpc/dispatch.js";
import type { RpcOutcome } from "../rpc/rpc-context.js";
import { destroyAfterEnd } from "./admit-request.js";
import { HEARTBEAT_MS, openSse } from "./sse-response.js";

/**
 * Runs a call. If a streaming call waits for its turn or its session longer than the interval of heartbeats,
 * the stream begins with headers and heartbeats. If the call is refused after that, the error is sent as an
 * event of the stream. A call that is refused earlier gets an ordinary error response.
 */
export async function runCall(
  call: Call,
  response: ServerResponse,
  heartbeatMs = HEARTBEAT_MS,
): Promise<RpcOutcome> {
  const outcome = await open(call, response, heartbeatMs);
  destroyAfterEnd(response, call.grant);
  return outcome;
}

async function open(
  call: Call,
  response: ServerResponse,
  heartbeatMs: number | undefined,
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
