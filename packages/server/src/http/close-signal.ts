import type { ServerResponse } from "node:http";

// All signals share one reason, because every request ends with an abort and a new error would cost a stack trace.
const CLOSED = new DOMException("the response has ended", "AbortError");

/** Creates a signal that aborts when the response has ended or its client is gone. */
export function closeSignal(response: ServerResponse): AbortSignal {
  const closed = new AbortController();
  response.on("close", () => closed.abort(CLOSED));
  return closed.signal;
}
