import { type ErrorCode, isProtocolError } from "@dt/schema";

/** Returns true if an agent refused a request with this code. */
export function hasCode(reason: unknown, code: ErrorCode): boolean {
  return isProtocolError(reason) && reason.code === code;
}
