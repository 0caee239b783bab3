import { randomUUID } from "node:crypto";
import { isProtocolError } from "@dt/schema";
import type { Clock } from "../clock.js";
import { withLogContext } from "./log-context.js";
import type { Logger } from "./logger.js";

/** Outcome of a call: `ok`, `aborted` by the client, or the code of its error. */
export type CallOutcome = string;

/**
 * Runs a call and logs it. `method` is the name that the client sent; undefined if it could not be read. Without an id
 * from the client, the call gets a random one.
 */
export type CallLog = (
  method: string | undefined,
  run: () => Promise<CallOutcome>,
  requestId?: string,
) => Promise<void>;

/** Maximum length of a logged method name. Clients may send any text as a name. */
const MAX_METHOD_LENGTH = 64;

/**
 * Creates the log of calls on connections that carry many calls, such as WebSockets. All log lines of a call
 * contain its id. One line is written when a call ends, as for an HTTP request. Parameters and results are
 * not logged. (SRV-13)
 */
export function createCallLog(
  logger: Logger,
  clock: Pick<Clock, "elapsedMs">,
  path = "/ws",
): CallLog {
  return async (method, run, requestId = randomUUID()) => {
    const startedAt = clock.elapsedMs();
    await withLogContext({ requestId }, async () => {
      const outcome = await run();
      const ms = Math.round((clock.elapsedMs() - startedAt) * 10) / 10;
      logger.info({ method: method?.slice(0, MAX_METHOD_LENGTH), path, outcome, ms }, "request");
    });
  };
}

/** Returns the outcome of a call that failed with this error. */
export function outcomeOf(reason: unknown): CallOutcome {
  return isProtocolError(reason) ? reason.code : "internal";
}
