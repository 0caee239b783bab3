import type { ServerResponse } from "node:http";
import type { Call } from "../rpc/dispatch.js";
import type { RpcOutcome } from "../rpc/rpc-context.js";
import { openSse } from "./sse-response.js";

/** Time after which the headers of a stream are sent even if its call still waits. */
const HEADERS_DELAY_MS = 50;

/**
 * Runs a call. While a streaming call waits for its turn or its session, the client gets headers and heartbeats. If
 * the call is refused after that, the error is sent as an event of the stream.
 */
export async function runCall(
  call: Call,
  response: ServerResponse,
  heartbeatMs: number | undefined,
): Promise<RpcOutcome> {
  if (!call.isStreaming) return await call.run();
  const opening = setTimeout(() => {
    if (!response.headersSent && !response.destroyed) openSse(response, heartbeatMs);
  }, HEADERS_DELAY_MS);
  try {
    return await call.run();
  } finally {
    clearTimeout(opening);
  }
}
