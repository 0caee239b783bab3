import { ERROR_CODES } from "@dt/schema";
import { type Dialect, findErrorVersion, rpcFailure } from "@dt/schema/wire";
import type { ErrorRequestHandler } from "express";
import { readVersionParameter } from "../access/source/version-parameter.js";
import { toProtocolError } from "./body-parser.js";

/** Answers with the error that a route threw, encoded in a dialect. Without a dialect, it is a JSON-RPC error. */
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
      body: rpcFailure(null, error, findErrorVersion(readVersionParameter(request), undefined)),
    };
    response.status(status).json(body);
  };
}
