import { isTransportError } from "@dt/client";
import { ProtocolError } from "@dt/schema";

/**
 * Returns the error to show if an agent requires a token and did not get a valid one. Returns undefined for any
 * other reason. The client's own message is not shown, because it names an option of `connect`, which only code
 * can set.
 */
export function findTokenFault(reason: unknown, url: string): ProtocolError | undefined {
  const refusal = reason instanceof Error && isTransportError(reason.cause) ? reason.cause : reason;
  if (!isTransportError(refusal) || refusal.status !== 401) return undefined;
  const message = `${url} requires a valid token; set DT_TOKEN to one`;
  return new ProtocolError("unauthenticated", message, { cause: reason });
}
