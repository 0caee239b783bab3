import { LeaseHeld } from "../store/lease.js";
import type { SessionStore } from "../store/session-store.js";
import type { SessionEntries } from "./session-entries.js";
import type { SessionHostOptions } from "./session-host.js";
import { findStoreFault, restoreSessionHost, type SessionHost } from "./session-host.js";

/** Opens stored sessions for reading, and ends their interrupted tasks. */
export interface SessionOpener {
  /** Finds a session in memory or in the store. */
  find(contextId: string): Promise<SessionHost | undefined>;
  /** Becomes the owner of every session that a restart interrupted, so that its agent ends the interrupted tasks. */
  recover(): Promise<void>;
  /** Becomes the owner of sessions with unfinished tasks whose holder is gone. */
  takeOver(): Promise<void>;
  /** Ends the interrupted tasks that could not be ended before, if the store accepts commits now. */
  retry(): Promise<void>;
  /** Records that a session stopped because the store refused a commit. */
  noteRefused(contextId: string): void;
  /** Records that the interrupted tasks of a session have ended, or that the session was deleted. */
  noteEnded(contextId: string): void;
  /** Finds the reason why the tasks of a session were interrupted; undefined if the reason was a restart. */
  findInterruption(contextId: string): string | undefined;
}

/** Options of {@link createSessionOpener}. */
export interface SessionOpenerOptions {
  readonly store: SessionStore;
  readonly entries: SessionEntries;
  /** Returns the options of hosts. It is a function, because the options are created after the opener. */
  hostOptions(): SessionHostOptions;
  /** Called when a session is used. */
  onUsed(contextId: string): void;
  onFault(reason: unknown): void;
}

/** Reason that clients see for tasks that stopped because the store refused a commit. */
const NOT_STORED = "interrupted because a step of the session could not be stored";

/**
 * Maximum number of interrupted sessions that are opened at the same time. Opening one is mostly waiting for the store,
 * and an instance that ends may leave hundreds.
 */
const MAX_OPENING = 8;

/** Creates the opener of a registry. */
export function createSessionOpener(options: SessionOpenerOptions): SessionOpener {
  const { store, entries, onUsed, onFault } = options;
  /** Sessions whose interrupted tasks have not ended yet, with the reason; undefined for a restart. */
  const interrupted = new Map<string, string | undefined>();

  async function find(contextId: string): Promise<SessionHost | undefined> {
    const host = await open(contextId);
    // If the store does not answer, the log keeps the events that it has in memory.
    await host?.refresh().catch(() => {});
    return host?.log.isClosed === true ? await open(contextId) : host;
  }

  async function open(contextId: string): Promise<SessionHost | undefined> {
    const entry =
      entries.get(contextId) ??
      entries.open(contextId, () => restoreSessionHost(contextId, options.hostOptions()));
    onUsed(contextId);
    const host = await entry.opening;
    // If an interrupted session does not exist, its first commit was refused, and there is no task to end.
    if (host === undefined) interrupted.delete(contextId);
    else if (interrupted.has(contextId)) await endInterrupted(host);
    return host;
  }

  // Becomes the owner of a session, which ends its interrupted tasks. While the store refuses commits, the session can
  // only be read, and a sweep tries again later.
  async function endInterrupted(host: SessionHost): Promise<void> {
    if ((await findStoreFault(store)) !== undefined) return;
    await host.becomeOwner().catch((reason: unknown) => {
      // Another process has the session now, and ends its interrupted tasks.
      if (reason instanceof LeaseHeld) interrupted.delete(host.session.contextId);
      else onFault(reason);
    });
  }

  async function openAll(contextIds: readonly string[]): Promise<void> {
    // All workers take their next session from this one iterator.
    const queue = contextIds.values();
    const work = async () => {
      // A session that cannot be opened must not stop the others.
      for (const contextId of queue) await find(contextId).catch(onFault);
    };
    await Promise.all(Array.from({ length: MAX_OPENING }, work));
  }

  return {
    find,
    async recover() {
      const unfinished = await store.listUnfinished();
      for (const contextId of unfinished) interrupted.set(contextId, undefined);
      await openAll(unfinished);
    },
    async takeOver() {
      const unfinished = await store.listUnfinished();
      const free = unfinished.filter((id) => entries.get(id)?.host?.isOwned !== true);
      for (const contextId of free) {
        if (!interrupted.has(contextId)) interrupted.set(contextId, undefined);
      }
      await openAll(free);
    },
    async retry() {
      if (interrupted.size === 0 || (await findStoreFault(store)) !== undefined) return;
      await openAll([...interrupted.keys()]);
    },
    noteRefused: (contextId) => void interrupted.set(contextId, NOT_STORED),
    noteEnded: (contextId) => void interrupted.delete(contextId),
    findInterruption: (contextId) => interrupted.get(contextId),
  };
}
