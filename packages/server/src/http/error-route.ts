import { ERROR_CODES, type JsonObject, ProtocolError } from "@dt/schema";
import { type Dialect, findErrorVersion, rpcFailure } from "@dt/schema/wire";
import type { ErrorRequestHandler, Request, RequestHandler } from "express";
import { retryHeaders } from "../access/rates/retry-headers.js";
import { readVersionParameter } from "../access/source/version-parameter.js";
import { toProtocolError } from "./body-parser.js";

/** Answers with the error that a route threw, encoded in a dialect. The default is a JSON-RPC error. */
export function errorRoute(
  onFault: (reason: unknown) => void,
  dialect?: Pick<Dialect, "encodeError">,
): ErrorRequestHandler {
  return (reason: unknown, request, response, next) => {
    if (response.headersSent) return next(reason);
    const error = toProtocolError(reason);
    if (error.code === "internal") onFault(reason);
    const { status, body } = dialect?.encodeError(error, null) ?? {
      status: ERROR_CODES[error.code].http,
      body: encodeEarlyError(error, request),
    };
    response.set(retryHeaders(error)).status(status).json(body);
  };
}

/** Creates a handler that answers 405 on a path that exists, but accepts only the `allowed` methods. */
export function refuseMethod(
  allowed: string,
  encodeError: (error: ProtocolError, request: Request) => JsonObject,
): RequestHandler {
  return (request, response) => {
    const advice = `use ${allowed.replace(", ", " or ")}`;
    const message = `${request.method} is not possible here; ${advice}`;
    const error = new ProtocolError("method-not-found", message);
    response.status(405).setHeader("Allow", allowed).json(encodeError(error, request));
  };
}

/** Encodes an error of a request whose method is not known yet, in the A2A version of its header or its URL. */
export function encodeEarlyError(error: ProtocolError, request: Request): JsonObject {
  return rpcFailure(null, error, findErrorVersion(readVersionParameter(request), undefined));
}
