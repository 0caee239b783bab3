import { ProtocolError } from "@dt/schema";
import type { LoggedEvent } from "../logged-event.js";
import type { SessionLog } from "../session-log.js";
import type { Client } from "./recent-clients.js";

/** Committed events, and the live output that changed since the last batch. */
export interface Batch {
  readonly events: readonly LoggedEvent[];
  readonly live: readonly LoggedEvent[];
}

/**
 * Yields the events after a position, then new ones as they are committed, until `signal` aborts. Throws
 * `agent-busy` if the log closes first. The caller may open the session again and continue after the last
 * event that it got.
 *
 * Each subscriber pulls at its own speed. A slow subscriber gets larger batches and does not delay the others.
 */
export async function* pullBatches(
  log: SessionLog,
  after: number,
  signal: AbortSignal,
  client?: Client,
): AsyncGenerator<Batch, void, undefined> {
  let position = after;
  let liveVersion = 0;
  let wake: (() => void) | undefined;
  // Most notifications arrive while this subscriber reads. At that time `wake` is undefined, and the loop
  // detects the change by the version of the log.
  const onChange = () => {
    wake?.();
    wake = undefined;
  };
  const unsubscribe = log.subscribers.add(onChange, { position: () => position, client });
  signal.addEventListener("abort", onChange);
  try {
    while (!signal.aborted) {
      if (log.isClosed) {
        const message = "the session was closed; continue from the last cursor";
        throw new ProtocolError("agent-busy", message);
      }
      const { version } = log;
      const events = await log.read(position);
      position = events.at(-1)?.position ?? position;
      // Live output is newer than every committed event, so it is sent after all of them.
      const live = position < log.lastPosition ? [] : liveSince(log, liveVersion);
      liveVersion = Math.max(liveVersion, ...live.map((each) => each.version));
      if (events.length > 0 || live.length > 0) {
        yield { events, live: live.map(({ logged }) => logged) };
      } else if (version === log.version && !signal.aborted) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    signal.removeEventListener("abort", onChange);
    unsubscribe();
  }
}

function liveSince({ live }: SessionLog, version: number) {
  return live.size === 0 ? [] : [...live.values()].filter((each) => each.version > version);
}
