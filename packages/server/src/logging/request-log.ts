import { AsyncResource } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { RequestHandler } from "express";
import type { Clock } from "../clock.js";
import { withLogContext } from "./log-context.js";
import type { Logger } from "./logger.js";

/**
 * Creates a middleware that logs requests. Each request has an id, from the client or random. The response and all
 * log lines of the request carry it. Headers, bodies and queries are not logged.
 */
export function requestLog(
  logger: Logger,
  clock: Pick<Clock, "elapsedMs">,
  findAddress: (request: IncomingMessage) => string | undefined = () => undefined,
): RequestHandler {
  return (request, response, next) => {
    const requestId = readRequestId(request.header("X-Request-Id")) ?? randomUUID();
    response.setHeader("X-Request-Id", requestId);
    const startedAt = clock.elapsedMs();
    const { method, path } = request;
    const address = findAddress(request);
    withLogContext({ requestId }, () => {
      // `bind` keeps the log context of this request, because a broken socket emits `close` outside of this context.
      const onClose = AsyncResource.bind(() => {
        const ms = Math.round((clock.elapsedMs() - startedAt) * 10) / 10;
        const isWhole = response.writableFinished;
        logger.info(
          { method, path, status: response.statusCode, address, ms, ...(!isWhole && { isWhole }) },
          "request",
        );
      });
      response.on("close", onClose);
      next();
    });
  };
}

/**
 * Reads the id that a client gave its request; undefined if it is missing or longer than 64 characters, or
 * has other characters than letters, digits and `_.:-`.
 */
export function readRequestId(header: string | undefined): string | undefined {
  return header !== undefined && /^[\w.:-]{1,64}$/.test(header) ? header : undefined;
}
