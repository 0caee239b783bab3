import type { SessionStore } from "../store/session-store.js";

/** Decides which stored sessions have exceeded their time to live. */
export interface SessionExpiry {
  /** Records that a session is used now. */
  touch(contextId: string): void;
  /** Finds the sessions that may be deleted now. */
  findExpired(): Promise<readonly string[]>;
}

/** Options of {@link createSessionExpiry}. */
export interface SessionExpiryOptions {
  readonly store: Pick<SessionStore, "listUntouched">;
  readonly ttlMs: number;
  /** The wall clock, which may be wrong and may jump. */
  now(): Date;
  /** A monotonic clock in milliseconds. */
  elapsedMs(): number;
}

/** Time that a session is kept after it became due. Only time while the server runs is counted. */
const GRACE_MS = 60 * 60_000;

/**
 * Creates the expiry of sessions. A wrong wall clock must not delete a session that is in use. Therefore:
 *
 * - The current time is a start time plus the elapsed time. The start time is the lowest difference between the wall
 *   clock and the elapsed time so far. A jump forward has no effect.
 * - A session that was used in this process expires only by elapsed time.
 * - A session must be due for an hour of running time, or for its time to live if that is shorter. A clock that was
 *   wrong at the start is usually corrected by then.
 *
 * A session whose last use was stored with a time in the future expires after that time.
 */
export function createSessionExpiry(options: SessionExpiryOptions): SessionExpiry {
  const { store, ttlMs, now, elapsedMs } = options;
  const graceMs = Math.min(ttlMs, GRACE_MS);
  const usedAt = new Map<string, number>();
  let dueSince = new Map<string, number>();
  let lowestStart = Number.POSITIVE_INFINITY;

  function trustedNow(elapsed: number): number {
    lowestStart = Math.min(lowestStart, now().getTime() - elapsed);
    return lowestStart + elapsed;
  }

  return {
    touch(contextId) {
      if (Number.isFinite(ttlMs)) usedAt.set(contextId, elapsedMs());
    },
    async findExpired() {
      if (!Number.isFinite(ttlMs)) return [];
      const elapsed = elapsedMs();
      for (const [contextId, at] of usedAt) if (elapsed - at >= ttlMs) usedAt.delete(contextId);
      const since = new Date(trustedNow(elapsed) - ttlMs).toISOString();
      const due = (await store.listUntouched(since)).filter((id) => !usedAt.has(id));
      dueSince = new Map(due.map((id) => [id, dueSince.get(id) ?? elapsed]));
      return due.filter((id) => elapsed - (dueSince.get(id) ?? elapsed) >= graceMs);
    },
  };
}
