import { isProtocolError } from "@dt/schema";

/** Returns the header `Retry-After` of an error that says when to retry; else no header. */
export function retryHeaders(reason: unknown): Readonly<Record<string, string>> {
  const ms = isProtocolError(reason) ? reason.data?.retryAfterMs : undefined;
  return typeof ms === "number" ? { "Retry-After": String(Math.ceil(ms / 1_000)) } : {};
}
