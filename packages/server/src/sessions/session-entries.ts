import type { Clock } from "../clock.js";
import type { SessionHost } from "./session-host.js";

/** A session that is in memory or being opened. */
export interface SessionEntry {
  readonly opening: Promise<SessionHost | undefined>;
  host?: SessionHost;
  /** Time of the last use, in elapsed milliseconds. */
  usedAt: number;
}

/** The sessions in memory. A session that is closing cannot be opened again before it is closed. */
export interface SessionEntries {
  readonly size: number;
  all(): Iterable<[contextId: string, entry: SessionEntry]>;
  /** The hosts that are open. */
  hosts(): readonly SessionHost[];
  get(contextId: string): SessionEntry | undefined;
  /** Opens a session. If the session is still closing, the opening waits until it is closed. */
  open(contextId: string, open: () => Promise<SessionHost | undefined>): SessionEntry;
  /** Records that a session is used now. */
  touch(contextId: string): void;
  /** Closes a session and removes it from memory, then runs `last`. */
  release(contextId: string, last?: () => Promise<void>): Promise<void>;
  /** Closes every session. */
  releaseAll(): Promise<void>;
}

/** Options of {@link createSessionEntries}. */
export interface SessionEntriesOptions {
  readonly clock: Pick<Clock, "elapsedMs">;
  /** Called when a session has left memory. */
  onReleased(contextId: string): void;
  onFault(reason: unknown): void;
}

/** Creates an empty list of sessions. */
export function createSessionEntries(options: SessionEntriesOptions): SessionEntries {
  const { clock, onReleased, onFault } = options;
  const entries = new Map<string, SessionEntry>();
  const closing = new Map<string, Promise<void>>();

  function release(contextId: string, last: () => Promise<void> = async () => {}): Promise<void> {
    const entry = entries.get(contextId);
    entries.delete(contextId);
    const before = closing.get(contextId);
    // The host starts to close at once, so that it refuses new requests.
    const closed = closeEntry(entry).catch(onFault);
    const left = (async () => {
      await before;
      await closed;
      onReleased(contextId);
      await last();
    })();
    const gone = left.finally(() => {
      if (closing.get(contextId) === gone) closing.delete(contextId);
    });
    closing.set(contextId, gone);
    return gone;
  }

  return {
    get size() {
      return entries.size;
    },
    all: () => entries,
    hosts: () => [...entries.values()].flatMap(({ host }) => host ?? []),
    get: (contextId) => entries.get(contextId),
    open(contextId, open) {
      const before = closing.get(contextId);
      const opening = before === undefined ? open() : before.catch(() => {}).then(open);
      const entry: SessionEntry = { opening, usedAt: clock.elapsedMs() };
      entries.set(contextId, entry);
      const drop = () => {
        if (entries.get(contextId) === entry) entries.delete(contextId);
      };
      opening.then((host) => {
        if (host === undefined) drop();
        else entry.host = host;
      }, drop);
      return entry;
    },
    touch(contextId) {
      const entry = entries.get(contextId);
      if (entry !== undefined) entry.usedAt = clock.elapsedMs();
    },
    release,
    async releaseAll() {
      await Promise.allSettled([...entries.keys()].map((contextId) => release(contextId)));
      await Promise.allSettled(closing.values());
    },
  };
}

async function closeEntry(entry: SessionEntry | undefined): Promise<void> {
  const host = entry?.host ?? (await entry?.opening.catch(() => undefined));
  await host?.close();
}
