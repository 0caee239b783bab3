import type { Limits } from "../access/limits/limits.js";
import type { Clock } from "../clock.js";
import type { SessionStore } from "../store/session-store.js";
import { findEvictable } from "./find-evictable.js";
import { hasStoredQuestion } from "./read-pending-tasks.js";
import type { SessionEntries } from "./session-entries.js";
import type { SessionExpiry } from "./session-expiry.js";
import type { SessionOpener } from "./session-opener.js";

/** Options of {@link createSessionSweeper}. */
export interface SessionSweeperOptions {
  readonly store: SessionStore;
  readonly clock: Pick<Clock, "elapsedMs">;
  readonly limits: Limits;
  readonly entries: SessionEntries;
  readonly expiry: SessionExpiry;
  readonly opener: Pick<SessionOpener, "retry">;
  /** Removes a session from memory and from the store. */
  deleteSession(contextId: string): Promise<void>;
  onFault(reason: unknown): void;
}

/**
 * Creates a function that removes unused sessions from memory, deletes expired sessions, and ends interrupted tasks
 * that could not be ended before.
 */
export function createSessionSweeper(options: SessionSweeperOptions): () => Promise<void> {
  const { store, clock, limits, entries, expiry, opener, deleteSession, onFault } = options;

  async function evict(): Promise<void> {
    const uses = [...entries.all()].flatMap(([contextId, { host, usedAt }]) => {
      if (host === undefined) return [];
      const { isBusy, log } = host;
      return [{ contextId, usedAt, isBusy, subscribers: log.subscribers.size }];
    });
    const evictable = findEvictable(uses, clock.elapsedMs(), limits);
    await Promise.all(evictable.map((contextId) => entries.release(contextId)));
  }

  async function deleteExpired(): Promise<void> {
    for (const contextId of await expiry.findExpired()) {
      const log = entries.get(contextId)?.host?.log;
      if (log?.isIdle === false || (log?.subscribers.size ?? 0) > 0) continue;
      try {
        // A session with an open question does not expire, because a person may still answer.
        if (!(await hasStoredQuestion(contextId, store))) await deleteSession(contextId);
      } catch (reason) {
        // A damaged session must not prevent the deletion of the others.
        onFault(reason);
      }
    }
  }

  return async () => {
    await evict();
    await deleteExpired();
    await opener.retry();
  };
}
