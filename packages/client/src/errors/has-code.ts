import { type ErrorCode, isProtocolError } from "@dt/schema";

/** Whether an agent refused something for this reason. */
export function hasCode(reason: unknown, code: ErrorCode): boolean {
  return isProtocolError(reason) && reason.code === code;
}
