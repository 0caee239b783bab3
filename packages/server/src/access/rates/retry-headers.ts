import { isProtocolError } from "@dt/schema";

/** Returns the header `Retry-After` if an error says when to retry; otherwise returns no headers. */
export function retryHeaders(reason: unknown): Readonly<Record<string, string>> {
  const ms = isProtocolError(reason) ? reason.data?.retryAfterMs : undefined;
  return typeof ms === "number" ? { "Retry-After": String(Math.ceil(ms / 1_000)) } : {};
}
