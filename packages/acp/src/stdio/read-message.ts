import type { AnyMessage, ErrorResponse, JsonRpcId } from "@agentclientprotocol/sdk";
import { isNestedDeeper, isObject, MAX_VALUE_DEPTH, parseBoundedJson } from "@dt/schema";
import type { PeerLine } from "./line-splitter.js";

/** A message of a peer, or an error. The error is sent to the peer, or replaces its answer to our request. */
export type ReadMessage =
  | { readonly type: "message"; readonly message: AnyMessage }
  | { readonly type: "refused"; readonly reply: ErrorReply }
  | { readonly type: "failed-answer"; readonly message: ErrorReply };

/** A JSON-RPC error. The id is null if the request is not known. */
export interface ErrorReply {
  readonly jsonrpc: "2.0";
  readonly id: JsonRpcId;
  readonly error: ErrorResponse;
}

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;

/** Reads one line. `maxBytes` is the limit that a line of type `too-long` exceeds. */
export function readMessage(line: PeerLine, maxBytes: number): ReadMessage {
  if (line.type === "too-long") return refuseLongLine(line.start, maxBytes);
  let value: unknown;
  try {
    value = parseBoundedJson(line.text);
  } catch {
    return refuse(null, PARSE_ERROR, "the line is not valid JSON; send one JSON object per line");
  }
  if (!isObject(value)) {
    const hint = Array.isArray(value) ? "batches are not supported; " : "";
    return refuse(null, INVALID_REQUEST, `${hint}send one JSON object per line`);
  }
  const id = toId(value.id);
  if (isNestedDeeper(value, MAX_VALUE_DEPTH)) {
    const fault = `the message is nested deeper than ${MAX_VALUE_DEPTH} levels`;
    return Object.hasOwn(value, "method") ? refuse(id, INVALID_REQUEST, fault) : fail(id, fault);
  }
  // The connection checks the rest of the message.
  return { type: "message", message: value as unknown as AnyMessage };
}

/**
 * Returns the error for a line that is too long. The id at the beginning of the line tells which request gets the
 * error: the peer's own request, or our request that the line answers.
 */
function refuseLongLine(start: string, maxBytes: number): ReadMessage {
  const fault = `the message has more than ${maxBytes} bytes`;
  const [, found] = /"id"\s*:\s*(-?\d{1,15}|"[^"\\]{1,100}")/.exec(start) ?? [];
  const id = found === undefined ? null : toId(JSON.parse(found));
  const isRequest = /"method"\s*:/.test(start);
  return isRequest || id === null ? refuse(id, INVALID_REQUEST, fault) : fail(id, fault);
}

function refuse(id: JsonRpcId, code: number, message: string): ReadMessage {
  return { type: "refused", reply: { jsonrpc: "2.0", id, error: { code, message } } };
}

function fail(id: JsonRpcId, message: string): ReadMessage {
  const error = { code: INVALID_REQUEST, message };
  return { type: "failed-answer", message: { jsonrpc: "2.0", id, error } };
}

function toId(value: unknown): JsonRpcId {
  return typeof value === "string" || Number.isFinite(value) ? (value as string | number) : null;
}
