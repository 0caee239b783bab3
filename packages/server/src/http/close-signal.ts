import type { ServerResponse } from "node:http";

// All signals share one reason, because every request ends with an abort and a new error would cost a stack trace.
const CLOSED = new DOMException("the response has ended", "AbortError");

/** Creates a signal that aborts when the response has ended or its client is gone. */
export function closeSignal(response: ServerResponse): AbortSignal {
  const closed = new AbortController();
  response.on("close", () => closed.abort(CLOSED));
  return closed.signal;
}

/** Creates a signal that aborts when the client is gone, or when its credential has ended. */
export function joinSignals(gone: AbortSignal, ended: AbortSignal): AbortSignal {
  const either = new AbortController();
  const onEnd = () => either.abort(ended.reason);
  ended.addEventListener("abort", onEnd);
  gone.addEventListener("abort", () => {
    ended.removeEventListener("abort", onEnd);
    either.abort(gone.reason);
  });
  return either.signal;
}
