import { AsyncResource } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import type { RequestHandler } from "express";
import type { Clock } from "../clock.js";
import { withLogContext } from "./log-context.js";
import type { Logger } from "./logger.js";

/**
 * Gives every request an id, its own or the client's, which the response names and every line of the
 * log carries; says at its end how it went. Neither headers nor bodies nor queries are logged.
 */
export function requestLog(logger: Logger, clock: Pick<Clock, "elapsedMs">): RequestHandler {
  return (request, response, next) => {
    const requestId = readId(request.header("X-Request-Id")) ?? randomUUID();
    response.setHeader("X-Request-Id", requestId);
    const startedAt = clock.elapsedMs();
    const { method, path } = request;
    withLogContext({ requestId }, () => {
      // A socket that breaks closes outside of any request: the line belongs to this one all the same.
      const onClose = AsyncResource.bind(() => {
        const ms = Math.round((clock.elapsedMs() - startedAt) * 10) / 10;
        const isWhole = response.writableFinished;
        logger.info(
          { method, path, status: response.statusCode, ms, ...(!isWhole && { isWhole }) },
          "request",
        );
      });
      response.on("close", onClose);
      next();
    });
  };
}

function readId(header: string | undefined): string | undefined {
  return header !== undefined && /^[\w.:-]{1,64}$/.test(header) ? header : undefined;
}
