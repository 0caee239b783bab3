import { ERROR_CODES, type ErrorCode } from "../../../errors/error-codes.js";
import type { ProtocolError } from "../../../errors/protocol-error.js";
import type { JsonObject } from "../../../validation/message-json.js";
import { encodeErrorData, encodeErrorDetails, toSentError } from "./error-details.js";

/** HTTP status and google.rpc status of the errors that A2A defines. */
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

/** google.rpc status of every other error, by its HTTP status. */
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

/** An error as a google.rpc.Status, whose details are ProtoJSON. */
export interface RpcStatus {
  /** Name of the google.rpc code, e.g. `NOT_FOUND`. */
  readonly status: string;
  readonly message: string;
  readonly details: readonly JsonObject[];
}

/** Encodes an error for A2A's REST binding: an HTTP status and a google.rpc.Status. (A2A 1.0 §11.6) */
export function encodeRestError(reason: unknown): {
  readonly httpStatus: number;
  readonly body: JsonObject;
} {
  const error = toSentError(reason);
  const httpStatus = httpStatusOf(error);
  const { status, message, details } = encodeRpcStatus(error);
  return { httpStatus, body: { error: { code: httpStatus, status, message, details } } };
}

/**
 * Encodes an error for the REST binding of A2A 0.3: the HTTP status of A2A 1.0, and the error object
 * of JSON-RPC.
 */
export function encodeBareError(reason: unknown): {
  readonly httpStatus: number;
  readonly body: JsonObject;
} {
  const error = toSentError(reason);
  const { code, message } = error;
  const body = { code: ERROR_CODES[code].jsonRpc, message, data: encodeErrorData(error) };
  return { httpStatus: httpStatusOf(error), body };
}

/** Encodes an error as a google.rpc.Status, which the REST and gRPC bindings share. (A2A 1.0 §10.6) */
export function encodeRpcStatus(reason: unknown): RpcStatus {
  const error = toSentError(reason);
  const { code, message } = error;
  const status = A2A_STATUSES[code]?.[1] ?? STATUS_NAMES[httpStatusOf(error)] ?? "UNKNOWN";
  return { status, message, details: encodeErrorDetails(error) };
}

function httpStatusOf({ code }: ProtocolError): number {
  return A2A_STATUSES[code]?.[0] ?? ERROR_CODES[code].http;
}
