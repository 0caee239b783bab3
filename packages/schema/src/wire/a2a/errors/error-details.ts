import type { ErrorCode } from "../../../errors/error-codes.js";
import { type ErrorData, isProtocolError, ProtocolError } from "../../../errors/protocol-error.js";
import { isObject, type JsonObject } from "../../../validation/message-json.js";

const TYPE = "type.googleapis.com/";

/**
 * Reasons that A2A defines for ErrorInfo, by our error code. For every other code, the code itself is the
 * reason.
 */
const A2A_REASONS: Readonly<Partial<Record<ErrorCode, string>>> = {
  "parse-error": "INVALID_PARAMS",
  "invalid-request": "INVALID_PARAMS",
  "invalid-message": "INVALID_PARAMS",
  "task-not-found": "TASK_NOT_FOUND",
  "task-not-cancelable": "TASK_NOT_CANCELABLE",
  "push-not-supported": "PUSH_NOTIFICATION_NOT_SUPPORTED",
  "unsupported-operation": "UNSUPPORTED_OPERATION",
  "content-type-not-supported": "CONTENT_TYPE_NOT_SUPPORTED",
  "extended-card-not-configured": "EXTENDED_AGENT_CARD_NOT_CONFIGURED",
  "extension-required": "EXTENSION_SUPPORT_REQUIRED",
  "version-not-supported": "VERSION_NOT_SUPPORTED",
};

/**
 * Encodes the code and the data of an error as A2A 1.0 sends them in every binding: a list of typed
 * objects. ErrorInfo contains the reason, BadRequest contains the faulty field, and a Struct contains
 * our own data. (A2A 1.0 §3.3.2, §9.5, §11.6)
 */
export function encodeErrorDetails({ code, message, data }: ProtocolError): readonly JsonObject[] {
  const ofA2a = A2A_REASONS[code];
  const field = code === "invalid-message" ? data?.path : undefined;
  return [
    {
      "@type": `${TYPE}google.rpc.ErrorInfo`,
      reason: ofA2a ?? code.toUpperCase().replaceAll("-", "_"),
      domain: ofA2a === undefined ? "dt" : "a2a-protocol.org",
      ...(data !== undefined && { metadata: toTexts(data) }),
    },
    ...(typeof field === "string" && field !== ""
      ? [
          {
            "@type": `${TYPE}google.rpc.BadRequest`,
            fieldViolations: [{ field, description: message }],
          },
        ]
      : []),
    { "@type": `${TYPE}google.protobuf.Struct`, value: encodeErrorData({ code, data }) },
  ];
}

/** Encodes the code and the data of an error as A2A 0.3 sends them: one object. */
export function encodeErrorData({ code, data }: Pick<ProtocolError, "code" | "data">): JsonObject {
  return { ...data, reason: code };
}

/** Inverse of {@link encodeErrorDetails} and {@link encodeErrorData}. Later details override earlier ones. */
export function decodeErrorData(data: unknown): ErrorData {
  if (isObject(data)) return data;
  const details = Array.isArray(data) ? data.filter(isObject) : [];
  return Object.assign({}, ...details.map(readDetail));
}

function readDetail({ reason, metadata, fieldViolations, value }: JsonObject): unknown {
  if (value !== undefined) return value;
  if (Array.isArray(fieldViolations)) return { path: fieldViolations[0]?.field };
  return { ...(isObject(metadata) && metadata), reason };
}

/** Converts any error to an error for a client. The details of an internal fault are hidden. */
export function toSentError(reason: unknown): ProtocolError {
  if (isProtocolError(reason)) return reason;
  return new ProtocolError("internal", "the server could not finish the request");
}

// Converts the values of data to strings, because ErrorInfo's metadata is a map of strings.
function toTexts(data: ErrorData): JsonObject {
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [
      key,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  );
}
