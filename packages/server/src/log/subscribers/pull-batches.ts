import { ProtocolError } from "@dt/schema";
import type { LoggedEvent } from "../logged-event.js";
import type { SessionLog } from "../session-log.js";
import type { Visitor } from "./recent-clients.js";

/** What an observer gets at a time: committed events, and live output that is newer than its last. */
export interface Batch {
  readonly events: readonly LoggedEvent[];
  readonly live: readonly LoggedEvent[];
}

/**
 * Everything after a place, then whatever follows, batch by batch, until `signal` aborts. Throws
 * `agent-busy` when the log ends before: the session must be opened anew, and is followed from there.
 *
 * Pulls: an observer that is slow finds more in its next batch and holds up nobody.
 */
export async function* follow(
  log: SessionLog,
  after: number,
  signal: AbortSignal,
  who?: Visitor,
): AsyncGenerator<Batch, void, undefined> {
  let place = after;
  let liveVersion = 0;
  let wake: (() => void) | undefined;
  // Once is enough: a busy log calls for every event, most of them while this one is not waiting.
  const onChange = () => {
    wake?.();
    wake = undefined;
  };
  const stop = log.observe(onChange, { place: () => place, who });
  signal.addEventListener("abort", onChange);
  try {
    while (!signal.aborted) {
      if (log.isClosed)
        throw new ProtocolError("agent-busy", "the session was closed; go on from the last cursor");
      const { version } = log;
      const events = await log.read(place);
      place = events.at(-1)?.seq ?? place;
      // Live output belongs after the events that are there already.
      const live = place < log.lastSeq ? [] : liveSince(log, liveVersion);
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
    stop();
  }
}

function liveSince({ live }: SessionLog, version: number) {
  return live.size === 0 ? [] : [...live.values()].filter((each) => each.version > version);
}
