import { type IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Metadata } from "@grpc/grpc-js";

/** The part of a call that comes before its message. */
export interface CallHead {
  readonly path: string;
  readonly host: string;
  readonly metadata: Metadata;
}

/**
 * Creates an HTTP request with the headers and the socket of a call, because the guard, the authentication
 * and `readCallInfo` need such a request. The body of the request is empty.
 */
export function toRequest(call: CallHead, socket: Socket): IncomingMessage {
  const request = new IncomingMessage(socket);
  request.httpVersion = "2.0";
  request.method = "POST";
  request.url = call.path;
  request.headers = headersOf(call.metadata, call.host);
  return request;
}

/** Converts the metadata of a call to headers. Binary values stay in base64. */
export function headersOf(metadata: Metadata, host: string): IncomingHttpHeaders {
  const headers = Object.entries(metadata.toHttp2Headers()).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(", ") : String(value),
  ]);
  return { ...Object.fromEntries(headers), host };
}
