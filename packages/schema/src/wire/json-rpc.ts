import { ERROR_CODES, findErrorCode } from "../errors/error-codes.js";
import { ProtocolError } from "../errors/protocol-error.js";
import { parseBoundedJson } from "../validation/bounded-json.js";
import { isObject, type JsonObject } from "../validation/message-json.js";
import type { A2aVersion } from "./a2a/a2a.js";
import {
  decodeErrorData,
  encodeErrorData,
  encodeErrorDetails,
  toSentError,
} from "./a2a/errors/error-details.js";

/** Id of a request; null if the request has no valid id. */
export type RpcId = string | number | null;

/** A JSON-RPC request. */
export interface RpcRequest {
  readonly id: RpcId;
  readonly method: string;
  readonly params: unknown;
}

/** Maximum length of an id. A longer id is refused, because every frame of a response repeats the id. */
const MAX_ID_LENGTH = 256;

/** Parses the text of a request. Throws `parse-error` or `invalid-request`. */
export function parseRpcText(text: string): RpcRequest {
  return parseRpcRequest(parseJsonText(text));
}

/** Parses the body of a request. Throws `invalid-request` if the body is not a valid request. */
export function parseRpcRequest(json: unknown): RpcRequest {
  if (Array.isArray(json)) {
    throw new ProtocolError("invalid-request", "send one request at a time; A2A has no batches");
  }
  if (!isObject(json))
    throw new ProtocolError("invalid-request", "expected a JSON-RPC request object");
  if (json.jsonrpc !== "2.0") throw new ProtocolError("invalid-request", 'jsonrpc: expected "2.0"');
  const { id = null, method, params } = json;
  if (id !== null && typeof id !== "string" && !Number.isSafeInteger(id)) {
    throw new ProtocolError("invalid-request", "id: expected a string, a whole number or null");
  }
  if (typeof id === "string" && id.length > MAX_ID_LENGTH) {
    throw new ProtocolError("invalid-request", `id: expected at most ${MAX_ID_LENGTH} characters`);
  }
  if (typeof method !== "string" || method === "") {
    throw new ProtocolError("invalid-request", "method: expected the name of a method");
  }
  return { id: id as RpcId, method, params };
}

/** Returns the id of a request for an error response. Returns null if the body has no valid id. */
export function rpcIdOf(body: unknown): RpcId {
  const id = isObject(body) ? body.id : null;
  const isText = typeof id === "string" && id.length <= MAX_ID_LENGTH;
  return isText || Number.isSafeInteger(id) ? (id as RpcId) : null;
}

/** Builds a request. */
export function rpcRequest(id: RpcId, method: string, params: unknown): JsonObject {
  return { jsonrpc: "2.0", id, method, params };
}

/** Builds the response to a request that succeeded. */
export function rpcSuccess(id: RpcId, result: unknown): JsonObject {
  return { jsonrpc: "2.0", id, result };
}

/**
 * Builds the response to a request that failed. The details of an internal fault are hidden.
 *
 * In A2A 1.0, `error.data` is a list of typed details. In A2A 0.3, `error.data` is one object.
 */
export function rpcFailure(id: RpcId, reason: unknown, version: A2aVersion = "0.3"): JsonObject {
  const error = toSentError(reason);
  return {
    jsonrpc: "2.0",
    id,
    error: {
      code: ERROR_CODES[error.code].jsonRpc,
      message: error.message,
      data: version === "1.0" ? encodeErrorDetails(error) : encodeErrorData(error),
    },
  };
}

/** Parses a response. Returns the result, or throws the error that the response contains. */
export function parseRpcResponse(json: unknown): unknown {
  if (!isObject(json) || json.jsonrpc !== "2.0") {
    throw new ProtocolError("parse-error", "the agent did not answer with a JSON-RPC response");
  }
  if (isObject(json.error)) throw rpcError(json.error);
  if (!("result" in json)) {
    throw new ProtocolError("parse-error", "the response has neither a result nor an error");
  }
  return json.result;
}

function rpcError(error: JsonObject): ProtocolError {
  const code = findErrorCode(Number(error.code)) ?? "internal";
  const message =
    typeof error.message === "string" ? error.message : "the agent refused the request";
  return new ProtocolError(code, message, {
    data: { ...decodeErrorData(error.data), jsonRpcCode: error.code },
  });
}

/** Parses JSON. Throws `parse-error` if the text is not valid JSON. */
export function parseJsonText(text: string): unknown {
  try {
    return parseBoundedJson(text);
  } catch (cause) {
    throw new ProtocolError("parse-error", "the body is not valid JSON", { cause });
  }
}
