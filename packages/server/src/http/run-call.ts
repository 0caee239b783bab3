import type { ServerResponse } from "node:http";
import type { Call } from "../rpc/dispatch.js";
import type { RpcOutcome } from "../rpc/rpc-context.js";
import { openSse } from "./sse-response.js";

/** How long a stream may take to begin, or to be refused, before its headers are sent anyway. */
const PATIENCE_MS = 50;

/**
 * Runs a call. One that wants a stream and has to wait, for its turn or for its session, gets the
 * headers and signs of life meanwhile; should it be refused then, that is an event of the stream.
 */
export async function runCall(
  call: Call,
  response: ServerResponse,
  heartbeatMs: number | undefined,
): Promise<RpcOutcome> {
  if (!call.isStreaming) return await call.run();
  const opening = setTimeout(() => {
    if (!response.headersSent && !response.destroyed) openSse(response, heartbeatMs);
  }, PATIENCE_MS);
  try {
    return await call.run();
  } finally {
    clearTimeout(opening);
  }
}
