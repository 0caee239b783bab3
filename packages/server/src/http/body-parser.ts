import type { IncomingMessage } from "node:http";
import { isJsonTextDeep, isProtocolError, MAX_JSON_DEPTH, ProtocolError } from "@dt/schema";
import express, { type RequestHandler } from "express";
import type { UnfinishedBytes } from "../access/limits/unfinished-bytes.js";

/** Creates handlers that read JSON bodies up to a size, and refuse every other content type. */
export function jsonBody(
  maxBodyBytes: number,
  unfinished: UnfinishedBytes,
): readonly RequestHandler[] {
  return [
    requireJson,
    refuseTooLarge(maxBodyBytes),
    countUnfinished(maxBodyBytes, unfinished),
    express.json({ limit: maxBodyBytes, strict: false, verify: checkNesting }),
  ];
}

/**
 * Skips a handler of bodies if there is no body. A request without a body, such as that of `curl -X POST`, has no
 * content type and would be refused.
 */
export function skipIfEmpty(handler: RequestHandler): RequestHandler {
  return (request, response, next) => {
    const { "content-length": length = "0", "transfer-encoding": encoding } = request.headers;
    if (length === "0" && encoding === undefined) next();
    else handler(request, response, next);
  };
}

// Refuses a body that is nested too deep, because JSON.parse takes seconds for megabytes of nested brackets. Latin-1 is
// enough to count the brackets, because in UTF-8 no other character contains the bytes of brackets and quotes.
function checkNesting(_request: unknown, _response: unknown, body: Buffer): void {
  if (!isJsonTextDeep(body.toString("latin1"))) return;
  throw new ProtocolError("parse-error", `the body is nested deeper than ${MAX_JSON_DEPTH} levels`);
}

// Refuses a body that is not JSON. A web page may post text and forms to any address, but JSON only after a
// preflight.
const requireJson: RequestHandler = (request, _response, next) => {
  const type = request.header("Content-Type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json" && type !== "application/a2a+json") {
    throw new ProtocolError(
      "content-type-not-supported",
      "Content-Type: expected application/json",
    );
  }
  request.headers["content-type"] = "application/json";
  next();
};

/** Time that a client has to send the rest of a refused body before its socket is closed. */
const DISCARD_MS = 1_000;

// Refuses a body by its Content-Length, because the parser would answer only after it has read the whole body. The
// socket stays open for a while, because many clients read the answer only when they have sent everything.
function refuseTooLarge(maxBodyBytes: number): RequestHandler {
  return (request, _response, next) => {
    if (Number(request.headers["content-length"] ?? 0) <= maxBodyBytes) return next();
    discardBody(request);
    throw tooLarge();
  };
}

/**
 * Closes the socket of a refused request if its body does not end soon. The socket stays open for a while, because many
 * clients read the answer only when they have sent everything.
 */
export function discardBody(request: IncomingMessage): void {
  if (request.complete) return;
  const closing = setTimeout(() => request.destroy(), DISCARD_MS);
  request.once("close", () => clearTimeout(closing));
}

/** Largest factor by which a compressed body can grow when it is decompressed. */
const MAX_EXPANSION = 1_000;

// Counts the bytes of a body until it is complete. This handler must come directly before the parser, because both must
// see the first byte of the body.
function countUnfinished(maxBodyBytes: number, unfinished: UnfinishedBytes): RequestHandler {
  return (request, _response, next) => {
    const weight = request.headers["content-encoding"] === undefined ? 1 : MAX_EXPANSION;
    const message = unfinished.open(() => request.destroy());
    let received = 0;
    request.on("data", (data: Buffer) => {
      received += data.length * weight;
      message.set(Math.min(received, maxBodyBytes));
    });
    request.once("end", message.close);
    request.once("close", message.close);
    next();
  };
}

function tooLarge(): ProtocolError {
  return new ProtocolError(
    "too-large",
    "the body is larger than this server accepts; send less in one request, or raise DT_MAX_BODY_BYTES of dt-server or maxBodyBytes of createAgentServer",
  );
}

/** Converts any error to a {@link ProtocolError}. An error of the body parser names its problem in `type`. */
export function toProtocolError(reason: unknown): ProtocolError {
  if (isProtocolError(reason)) return reason;
  if (reason instanceof URIError) {
    return new ProtocolError("invalid-request", "the URL has an invalid percent-encoding");
  }
  if (isDecompressionError(reason)) {
    return new ProtocolError("parse-error", "the body does not match its Content-Encoding", {
      cause: reason,
    });
  }
  switch ((reason as { type?: unknown }).type) {
    case "entity.too.large":
      return tooLarge();
    case "entity.parse.failed":
      return new ProtocolError("parse-error", "the body is not valid JSON");
    case "encoding.unsupported":
    case "charset.unsupported":
      return new ProtocolError(
        "content-type-not-supported",
        "the body's encoding is not supported",
      );
    case "request.aborted":
    case "request.size.invalid":
      return new ProtocolError("invalid-request", "the body ended too early");
    default:
      return new ProtocolError("internal", "the server could not finish the request", {
        cause: reason,
      });
  }
}

// Returns true for an error of zlib, which the parser reports with the status 400 and without a type.
function isDecompressionError(reason: unknown): boolean {
  const { status, type, errno } = reason as { status?: unknown; type?: unknown; errno?: unknown };
  return status === 400 && type === undefined && typeof errno === "number";
}
