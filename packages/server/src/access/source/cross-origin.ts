import type { IncomingMessage, ServerResponse } from "node:http";
import { CLIENT_ID_HEADER } from "@dt/schema";
import type { LoopbackGuardOptions } from "./loopback-guard.js";

/** What clients send beside what every page may: our protocol's headers, tokens, cursors, traces. */
const REQUEST_HEADERS = [
  "Content-Type",
  "Authorization",
  "A2A-Version",
  "A2A-Extensions",
  "X-A2A-Extensions",
  "X-DT-Client",
  CLIENT_ID_HEADER,
  "X-Request-Id",
  "Last-Event-ID",
  "If-None-Match",
  "Traceparent",
  "Tracestate",
].join(", ");

/** What a page may read of an answer beside its body. */
const RESPONSE_HEADERS = [
  "A2A-Extensions",
  "X-A2A-Extensions",
  "X-Request-Id",
  "Retry-After",
  "ETag",
].join(", ");

/**
 * Lets pages of the origins that are allowed by name read what comes back; no other page gets a word
 * of permission. To be called after `checkSource` let the request in. True where the request was a
 * browser's question whether it may ask, and has been answered. (SEC-01)
 */
export function answerOrigin(
  { method, headers }: IncomingMessage,
  response: ServerResponse,
  { allowedOrigins }: LoopbackGuardOptions,
): boolean {
  if (allowedOrigins.length === 0) return false;
  // Also without an origin: what a cache keeps for one asker is not for another.
  response.setHeader("Vary", "Origin");
  const { origin } = headers;
  if (origin === undefined || !allowedOrigins.includes(origin)) return false;
  response.setHeader("Access-Control-Allow-Origin", origin);
  if (method !== "OPTIONS" || headers["access-control-request-method"] === undefined) {
    response.setHeader("Access-Control-Expose-Headers", RESPONSE_HEADERS);
    return false;
  }
  response.setHeader("Access-Control-Allow-Methods", "GET, POST, DELETE");
  response.setHeader("Access-Control-Allow-Headers", REQUEST_HEADERS);
  response.setHeader("Access-Control-Max-Age", "600");
  // A page from elsewhere that is allowed by name may come to this machine.
  if (headers["access-control-request-private-network"] === "true") {
    response.setHeader("Access-Control-Allow-Private-Network", "true");
  }
  response.writeHead(204).end();
  return true;
}
