import { randomUUID } from "node:crypto";
import { isProtocolError } from "@dt/schema";
import type { Clock } from "../clock.js";
import { withLogContext } from "./log-context.js";
import type { Logger } from "./logger.js";

/** How a call ended: `ok`, `aborted` where nobody wanted the rest, or the code of its error. */
export type CallOutcome = string;

/** Runs a call; `method` is as its caller wrote it, absent where that could not be read. */
export type CallLog = (
  method: string | undefined,
  run: () => Promise<CallOutcome>,
) => Promise<void>;

/** Method names are a client's text: longer than any of ours they are not kept. */
const MAX_METHOD = 64;

/**
 * Gives every call of a socket an id, which every line of the log carries; says at its end how it went,
 * as is said of an HTTP request. Neither parameters nor results are logged. (SRV-13)
 */
export function createCallLog(logger: Logger, clock: Pick<Clock, "elapsedMs">): CallLog {
  return async (method, run) => {
    const startedAt = clock.elapsedMs();
    await withLogContext({ requestId: randomUUID() }, async () => {
      const outcome = await run();
      const ms = Math.round((clock.elapsedMs() - startedAt) * 10) / 10;
      logger.info({ method: method?.slice(0, MAX_METHOD), path: "/ws", outcome, ms }, "request");
    });
  };
}

/** What a log calls an error. */
export function outcomeOf(reason: unknown): CallOutcome {
  return isProtocolError(reason) ? reason.code : "internal";
}
