import { ERROR_CODES, isProtocolError } from "@dt/schema";
import type { RequestHandler } from "express";
import { answerOrigin } from "./cross-origin.js";
import { checkSource, type LoopbackGuardOptions } from "./loopback-guard.js";

/** Applies {@link checkSource} and {@link answerOrigin} to a route. A refused request gets 403 and the reason. */
export function guardSource(options: LoopbackGuardOptions): RequestHandler {
  return (request, response, next) => {
    try {
      checkSource(request, options);
    } catch (reason) {
      if (!isProtocolError(reason)) throw reason;
      response.status(ERROR_CODES[reason.code].http).json({ error: reason.message });
      return;
    }
    if (!answerOrigin(request, response, options)) next();
  };
}
