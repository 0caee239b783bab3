import { errorCodes } from "@dt/schema";
import { rpcFailure } from "@dt/schema/wire";
import type { ErrorRequestHandler } from "express";
import { toProtocolError } from "./body-parser.js";

/** Answers what a route threw: its HTTP status, and the error as JSON-RPC has it. */
export function errorRoute(onFault: (reason: unknown) => void): ErrorRequestHandler {
  return (reason: unknown, _request, response, next) => {
    if (response.headersSent) return next(reason);
    const error = toProtocolError(reason);
    if (error.code === "internal") onFault(reason);
    response.status(errorCodes[error.code].http).json(rpcFailure(null, error));
  };
}
