import { RequestError } from "@agentclientprotocol/sdk";
import { type ErrorCode, isProtocolError } from "@dt/schema";

const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;
const AUTH_REQUIRED = -32000;
const NOT_FOUND = -32002;

/** Error codes of ACP, by the code of a protocol error of dt. All other protocol errors become internal errors. */
const CODES: Partial<Record<ErrorCode, number>> = {
  "invalid-message": INVALID_PARAMS,
  "content-type-not-supported": INVALID_PARAMS,
  "too-large": INVALID_PARAMS,
  "workspace-refused": INVALID_PARAMS,
  forbidden: INVALID_PARAMS,
  "task-not-found": NOT_FOUND,
  unauthenticated: AUTH_REQUIRED,
};

/** Converts any error to one that the editor shows. Reports a fault of our own, and hides its details. */
export function toRequestError(reason: unknown, onFault: (reason: unknown) => void): RequestError {
  if (reason instanceof RequestError) return reason;
  if (isProtocolError(reason)) {
    return new RequestError(CODES[reason.code] ?? INTERNAL_ERROR, reason.message);
  }
  if (!(reason instanceof Error)) return new RequestError(INTERNAL_ERROR, "internal error");
  // The model cannot be used before the person has set it up.
  if (reason.name === "ModelError") return new RequestError(AUTH_REQUIRED, reason.message);
  if (["SetupError", "SettingsError", "TransportError"].includes(reason.name)) {
    return new RequestError(INTERNAL_ERROR, reason.message);
  }
  onFault(reason);
  return new RequestError(INTERNAL_ERROR, "dt has a fault; its log says more");
}
