import { isProtocolError, isTransportError, SetupError } from "@dt/client";

/** Finds the reason why the agent refuses the token of this device; undefined for every other fault. */
export function findRefusal(reason: unknown): string | undefined {
  if (isProtocolError(reason))
    return reason.code === "unauthenticated" ? reason.message : undefined;
  if (isTransportError(reason)) return reason.status === 401 ? reason.message : undefined;
  return reason instanceof SetupError ? findRefusal(reason.cause) : undefined;
}
