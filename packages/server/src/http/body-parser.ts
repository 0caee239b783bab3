import { isJsonTextDeep, isProtocolError, MAX_JSON_DEPTH, ProtocolError } from "@dt/schema";
import express, { type RequestHandler } from "express";
import type { UnfinishedBytes } from "../access/limits/unfinished-bytes.js";

/** Reads a JSON body up to a size, and refuses what does not say that it is JSON. */
export function jsonBody(
  maxBodyBytes: number,
  unfinished: UnfinishedBytes,
): readonly RequestHandler[] {
  return [
    jsonOnly,
    announcedWithin(maxBodyBytes),
    countUnfinished(maxBodyBytes, unfinished),
    express.json({ limit: maxBodyBytes, strict: false, verify: checkNesting }),
  ];
}

// The engine takes seconds to parse megabytes of brackets. The bytes of other characters are never those
// of brackets and quotes in UTF-8, so they need not be decoded for this.
function checkNesting(_request: unknown, _response: unknown, body: Buffer): void {
  if (!isJsonTextDeep(body.toString("latin1"))) return;
  throw new ProtocolError("parse-error", `the body is nested deeper than ${MAX_JSON_DEPTH} levels`);
}

// A web page may send text or forms to any address; JSON it may not send unasked.
const jsonOnly: RequestHandler = (request, _response, next) => {
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

/** How long the rest of a body that was refused may take, before its socket is closed. */
const REST_MS = 1_000;

// The parser would answer only once it has read all of it. Whoever sends on before it reads must find the
// answer all the same, so the socket is not closed under it.
function announcedWithin(maxBodyBytes: number): RequestHandler {
  return (request, _response, next) => {
    if (Number(request.headers["content-length"] ?? 0) <= maxBodyBytes) return next();
    const closing = setTimeout(() => request.destroy(), REST_MS);
    request.once("close", () => clearTimeout(closing));
    throw tooLarge();
  };
}

/** How much larger than what was sent a packed body can be, at most. */
const UNPACKED = 1_000;

// Right before the parser, which must read from the same moment on.
function countUnfinished(maxBodyBytes: number, unfinished: UnfinishedBytes): RequestHandler {
  return (request, _response, next) => {
    const weight = request.headers["content-encoding"] === undefined ? 1 : UNPACKED;
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
  return new ProtocolError("too-large", "the body is larger than this server reads");
}

/** What a route threw, as an error for the peer; the body parser says what was wrong in `type`. */
export function toProtocolError(reason: unknown): ProtocolError {
  if (isProtocolError(reason)) return reason;
  if (reason instanceof URIError) {
    return new ProtocolError("invalid-request", "the address is not encoded as it must be");
  }
  if (isUnpackingError(reason)) {
    return new ProtocolError("parse-error", "the body is not packed as its Content-Encoding says", {
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
      return new ProtocolError("invalid-request", "the body did not arrive whole");
    default:
      return new ProtocolError("internal", "the server could not finish the request", {
        cause: reason,
      });
  }
}

// What zlib says, which the parser hands on as a bad request without a type.
function isUnpackingError(reason: unknown): boolean {
  const { status, type, errno } = reason as { status?: unknown; type?: unknown; errno?: unknown };
  return status === 400 && type === undefined && typeof errno === "number";
}
