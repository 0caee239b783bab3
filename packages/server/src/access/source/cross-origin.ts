import type { IncomingMessage, ServerResponse } from "node:http";
import { CLIENT_ID_HEADER } from "@dt/schema";
import type { LoopbackGuardOptions } from "./loopback-guard.js";

/** Request headers that a page may set, in addition to the headers that browsers always allow. */
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

/** Response headers that a page may read. */
const RESPONSE_HEADERS = [
  "A2A-Extensions",
  "X-A2A-Extensions",
  "X-Request-Id",
  "Retry-After",
  "ETag",
].join(", ");

/**
 * Sets CORS headers for pages of the allowed origins, and for no others. Call it after `checkSource`. Answers a
 * preflight request of such a page and returns true; returns false for every other request. (SEC-01)
 */
export function answerOrigin(
  { method, headers }: IncomingMessage,
  response: ServerResponse,
  { allowedOrigins }: LoopbackGuardOptions,
): boolean {
  if (allowedOrigins.length === 0) return false;
  // `Vary` is set even without an origin. Otherwise a cache could serve one origin the answer for another origin.
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
  // A browser asks for this permission before a public page may call this machine (Private Network Access).
  if (headers["access-control-request-private-network"] === "true") {
    response.setHeader("Access-Control-Allow-Private-Network", "true");
  }
  response.writeHead(204).end();
  return true;
}
