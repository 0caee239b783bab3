import { ERROR_CODES, type ErrorCode } from "../../errors/error-codes.js";
import { isProtocolError, ProtocolError } from "../../errors/protocol-error.js";
import type { JsonObject } from "../../validation/message-json.js";

/** Reasons in A2A's REST binding: HTTP status, google.rpc status, ErrorInfo reason. */
const A2A_REASONS: Readonly<Partial<Record<ErrorCode, readonly [number, string, string]>>> = {
  "parse-error": [400, "INVALID_ARGUMENT", "INVALID_PARAMS"],
  "invalid-request": [400, "INVALID_ARGUMENT", "INVALID_PARAMS"],
  "invalid-message": [400, "INVALID_ARGUMENT", "INVALID_PARAMS"],
  "task-not-found": [404, "NOT_FOUND", "TASK_NOT_FOUND"],
  "task-not-cancelable": [400, "FAILED_PRECONDITION", "TASK_NOT_CANCELABLE"],
  "push-not-supported": [400, "FAILED_PRECONDITION", "PUSH_NOTIFICATION_NOT_SUPPORTED"],
  "unsupported-operation": [400, "FAILED_PRECONDITION", "UNSUPPORTED_OPERATION"],
  "content-type-not-supported": [415, "INVALID_ARGUMENT", "CONTENT_TYPE_NOT_SUPPORTED"],
  "extended-card-not-configured": [
    400,
    "FAILED_PRECONDITION",
    "EXTENDED_AGENT_CARD_NOT_CONFIGURED",
  ],
  "extension-required": [400, "FAILED_PRECONDITION", "EXTENSION_SUPPORT_REQUIRED"],
  "version-not-supported": [400, "FAILED_PRECONDITION", "VERSION_NOT_SUPPORTED"],
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
  const isOurs = isProtocolError(reason) && Object.hasOwn(ERROR_CODES, reason.code);
  const error = isOurs
    ? reason
    : new ProtocolError("internal", "the server could not finish the request");
  const ofA2a = A2A_REASONS[error.code];
  const httpStatus = ofA2a?.[0] ?? ERROR_CODES[error.code].http;
  const info = {
    "@type": "type.googleapis.com/google.rpc.ErrorInfo",
    reason: ofA2a?.[2] ?? error.code.toUpperCase().replaceAll("-", "_"),
    domain: ofA2a === undefined ? "dt" : "a2a-protocol.org",
    ...(error.data !== undefined && { metadata: toTexts(error.data) }),
  };
  return {
    httpStatus,
    body: {
      error: {
        code: httpStatus,
        status: ofA2a?.[1] ?? STATUS_NAMES[httpStatus] ?? "UNKNOWN",
        message: error.message,
        details: [info],
      },
    },
  };
}

// ErrorInfo's metadata is a map of strings.
function toTexts(data: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [
      key,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  );
}
