import type { Commit, CommitOutcomes } from "../commit.js";
import type { AcquireOptions, Lease } from "../lease.js";
import { createLeaseBook } from "../lease-book.js";
import { type FileLock, lockSession } from "./database/lock-file.js";
import type { Integrity } from "./integrity/integrity.js";
import { type Row, toSessionRow } from "./rows.js";
import type { Statements } from "./statements.js";
import { saveSession } from "./write-commits.js";
import type { WrittenRows } from "./written-rows.js";

/** The leases of a SQLite store. */
export interface SqliteLeases {
  acquire(contextId: string, options?: AcquireOptions): Lease;
  /** Returns the epoch of the lease that this process holds on a session; undefined if it holds none. */
  epochOf(contextId: string): number | undefined;
  /** Ends the leases whose commits were lost. */
  endLost(commits: readonly Commit[], outcomes: CommitOutcomes): void;
}

/** Options of {@link createSqliteLeases}. */
export interface SqliteLeasesOptions {
  readonly file: string;
  /** True if other processes may use the file, so that sessions must be locked. */
  readonly isShared: boolean;
  readonly statements: Statements;
  readonly integrity: Pick<Integrity, "write">;
  readonly written: WrittenRows;
  /** Runs work as one transaction. */
  transact(work: () => void): void;
}

/**
 * Creates the leases of a store. The epoch of a stored session is in its row, where commits of every process are
 * compared with it. The epoch of a session that is not stored yet is only in memory.
 */
export function createSqliteLeases(options: SqliteLeasesOptions): SqliteLeases {
  const { file, isShared, statements, integrity, written, transact } = options;
  const leases = createLeaseBook();
  const locks = new Map<string, FileLock>();

  function lock(contextId: string, isForced: boolean): void {
    if (!isShared || locks.has(contextId)) return;
    try {
      locks.set(contextId, lockSession(file, contextId));
    } catch (error) {
      // Another process has the session open. A takeover needs no lock, because the new epoch in the row
      // makes the commits of that process fail.
      if (!isForced) throw error;
    }
  }

  function unlock(contextId: string): void {
    locks.get(contextId)?.release();
    locks.delete(contextId);
  }

  function isStored(contextId: string): boolean {
    return statements.findSession.get(contextId) !== undefined;
  }

  /** Raises the epoch in the row; undefined if the session is not stored. */
  function raiseEpoch(contextId: string): number | undefined {
    if (!isStored(contextId)) return undefined;
    let epoch: number | undefined;
    const raise = () => {
      const row = statements.findSession.get(contextId) as Row | undefined;
      if (row === undefined) return;
      const before = toSessionRow(row);
      epoch = before.epoch + 1;
      saveSession({ ...before, epoch }, before, statements);
    };
    integrity.write(() => transact(raise));
    return epoch;
  }

  return {
    acquire(contextId, acquireOptions = {}) {
      leases.check(contextId, acquireOptions);
      const { takesOver = false } = acquireOptions;
      lock(contextId, takesOver && isStored(contextId));
      // The cached rows may be old, because another process may have written to the session.
      if (isShared) written.clear();
      else written.sessions.delete(contextId);
      try {
        const epoch = raiseEpoch(contextId) ?? (leases.epochOf(contextId) ?? 0) + 1;
        return leases.open(contextId, epoch, () => unlock(contextId));
      } catch (error) {
        if (leases.epochOf(contextId) === undefined) unlock(contextId);
        throw error;
      }
    },
    epochOf: leases.epochOf,
    endLost(commits, outcomes) {
      for (const { contextId, epoch } of commits) {
        if (outcomes.get(contextId) === "lost") leases.lose(contextId, epoch);
      }
    },
  };
}
