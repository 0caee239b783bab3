import { isProtocolError, ProtocolError } from "@dt/schema";
import express, { type RequestHandler } from "express";

/** Reads a JSON body up to a size, and refuses what does not say that it is JSON. */
export function jsonBody(maxBodyBytes: number): readonly RequestHandler[] {
  return [jsonOnly, express.json({ limit: maxBodyBytes, strict: false })];
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

/** What a route threw, as an error for the peer; the body parser says what was wrong in `type`. */
export function toProtocolError(reason: unknown): ProtocolError {
  if (isProtocolError(reason)) return reason;
  if (reason instanceof URIError) {
    return new ProtocolError("invalid-request", "the address is not encoded as it must be");
  }
  switch ((reason as { type?: unknown }).type) {
    case "entity.too.large":
      return new ProtocolError("too-large", "the body is larger than this server reads");
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
