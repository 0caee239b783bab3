import { ERROR_CODES, type ErrorCode } from "../../../errors/error-codes.js";
import type { JsonObject } from "../../../validation/message-json.js";
import { encodeErrorDetails, toSentError } from "./error-details.js";

/** HTTP status and google.rpc status of A2A's own reasons. */
const A2A_STATUSES: Readonly<Partial<Record<ErrorCode, readonly [number, string]>>> = {
  "parse-error": [400, "INVALID_ARGUMENT"],
  "invalid-request": [400, "INVALID_ARGUMENT"],
  "invalid-message": [400, "INVALID_ARGUMENT"],
  "task-not-found": [404, "NOT_FOUND"],
  "task-not-cancelable": [400, "FAILED_PRECONDITION"],
  "push-not-supported": [400, "FAILED_PRECONDITION"],
  "unsupported-operation": [400, "FAILED_PRECONDITION"],
  "content-type-not-supported": [415, "INVALID_ARGUMENT"],
  "extended-card-not-configured": [400, "FAILED_PRECONDITION"],
  "extension-required": [400, "FAILED_PRECONDITION"],
  "version-not-supported": [400, "FAILED_PRECONDITION"],
};

/** Names in google.rpc of the HTTP statuses that our own reasons use. */
const STATUS_NAMES: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  409: "ABORTED",
  410: "OUT_OF_RANGE",
  413: "OUT_OF_RANGE",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
};

/** Encodes an error for A2A's REST binding: an HTTP status and a google.rpc.Status. (A2A 1.0 §11.6) */
export function encodeRestError(reason: unknown): {
  readonly httpStatus: number;
  readonly body: JsonObject;
} {
  const error = toSentError(reason);
  const ofA2a = A2A_STATUSES[error.code];
  const httpStatus = ofA2a?.[0] ?? ERROR_CODES[error.code].http;
  return {
    httpStatus,
    body: {
      error: {
        code: httpStatus,
        status: ofA2a?.[1] ?? STATUS_NAMES[httpStatus] ?? "UNKNOWN",
        message: error.message,
        details: encodeErrorDetails(error),
      },
    },
  };
}
