import type { LoggedEvent, SessionLog } from "./session-log.js";

/** What an observer gets at a time: committed events, and live output that is newer than its last. */
export interface Batch {
  readonly events: readonly LoggedEvent[];
  readonly live: readonly LoggedEvent[];
}

/**
 * Everything after a place, then whatever follows, batch by batch, until `signal` aborts.
 *
 * Pulls: an observer that is slow finds more in its next batch and holds up nobody.
 */
export async function* follow(
  log: SessionLog,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<Batch, void, undefined> {
  let place = after;
  let liveVersion = 0;
  while (!signal.aborted) {
    const changed = nextChange(log, signal);
    const events = await log.read(place);
    place = events.at(-1)?.seq ?? place;
    // Live output belongs after the events that are there already.
    const live =
      place < log.lastSeq
        ? []
        : [...log.live.values()].filter(({ version }) => version > liveVersion);
    liveVersion = Math.max(liveVersion, ...live.map(({ version }) => version));
    if (events.length > 0 || live.length > 0) {
      changed.cancel();
      yield { events, live: live.map(({ logged }) => logged) };
    } else {
      await changed.promise;
    }
  }
}

// Listening starts before the log is read: what is committed in between is not missed.
function nextChange(log: SessionLog, signal: AbortSignal) {
  let finish = () => {};
  const promise = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const stop = log.onChange(finish);
  signal.addEventListener("abort", finish, { once: true });
  const cancel = () => {
    stop();
    signal.removeEventListener("abort", finish);
  };
  return { promise: promise.then(cancel), cancel };
}
