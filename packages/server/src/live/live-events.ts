import { setTimeout } from "node:timers/promises";
import { isProtocolError, type SessionEvent } from "@dt/schema";
import type { SessionLog } from "../log/session-log.js";
import { pullBatches } from "../log/subscribers/pull-batches.js";
import type { LiveHost } from "./live-host.js";

/** Delay before the second attempt to find the log. It doubles with each attempt, up to MAX_REOPEN_MS. */
const REOPEN_MS = 50;
const MAX_REOPEN_MS = 5_000;

/** Yields the events of a live session after a position, even if the session is closed and opened again meanwhile. */
export async function* pullLiveEvents(
  host: Pick<LiveHost, "current">,
  after: number,
  ended: AbortSignal,
): AsyncGenerator<readonly SessionEvent[], void, undefined> {
  let position = after;
  for (let attempt = 0; !ended.aborted; attempt += 1) {
    const log = await findLog(host, attempt, ended);
    if (log === undefined) continue;
    try {
      for await (const batch of pullBatches(log, position, ended)) {
        attempt = 0;
        position = batch.events.at(-1)?.position ?? position;
        yield [...batch.events, ...batch.live].map(({ event }) => event);
      }
    } catch (reason) {
      // If a fault closed the log, the next iteration opens the session again and reads its new log.
      if (!log.isClosed || !isProtocolError(reason)) throw reason;
    }
  }
}

/** Finds the log, after a delay if this is not the first attempt. Returns undefined if the session cannot be opened. */
async function findLog(
  host: Pick<LiveHost, "current">,
  attempt: number,
  ended: AbortSignal,
): Promise<SessionLog | undefined> {
  if (attempt > 0) {
    const ms = Math.min(REOPEN_MS * 2 ** (attempt - 1), MAX_REOPEN_MS);
    await setTimeout(ms, undefined, { signal: ended }).catch(() => {});
  }
  return await host.current().then(
    ({ log }) => log,
    () => undefined,
  );
}
