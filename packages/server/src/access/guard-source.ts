import { errorCodes, isProtocolError } from "@dt/schema";
import type { RequestHandler } from "express";
import { checkSource, type LoopbackGuardOptions } from "./loopback-guard.js";

/** {@link checkSource} for a route of its own: 403 and one sentence. */
export function guardSource(options: LoopbackGuardOptions): RequestHandler {
  return (request, response, next) => {
    try {
      checkSource(request, options);
    } catch (reason) {
      if (!isProtocolError(reason)) throw reason;
      response.status(errorCodes[reason.code].http).json({ error: reason.message });
      return;
    }
    next();
  };
}
