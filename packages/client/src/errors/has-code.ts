import { type ErrorCode, isProtocolError } from "@dt/schema";

/** Returns true if `reason` is a protocol error with this code, for example an agent's refusal. */
export function hasCode(reason: unknown, code: ErrorCode): boolean {
  return isProtocolError(reason) && reason.code === code;
}
