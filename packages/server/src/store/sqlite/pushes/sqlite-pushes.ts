import { mergePush, type PushKey, type PushRecord } from "../../push-record.js";
import type { PushStore } from "../../push-store.js";
import { withChecksum } from "../checksum.js";
import type { Integrity } from "../integrity/integrity.js";
import type { Row } from "../rows.js";
import type { Statements } from "../statements.js";
import { pushColumns, toPush } from "./push-rows.js";

/** Options of {@link createSqlitePushes}. */
export interface SqlitePushesOptions {
  /** Throws if the store is closed. */
  checkOpen(): void;
  readonly statements: Statements;
  readonly integrity: Pick<Integrity, "read" | "write" | "damaged">;
  /** Runs work as one transaction. */
  transact(work: () => void): void;
}

/** Creates the outbox of a SQLite store. */
export function createSqlitePushes(options: SqlitePushesOptions): PushStore {
  const { checkOpen, statements, integrity, transact } = options;

  /** Runs work as one transaction, and returns its result. */
  function inTransaction<TValue>(work: () => TValue): TValue {
    checkOpen();
    const results: TValue[] = [];
    integrity.write(() => transact(() => results.push(work())));
    return results[0] as TValue;
  }

  function read<TValue>(work: () => TValue): TValue {
    checkOpen();
    return integrity.read(work);
  }

  /** Converts rows to configs. A damaged row is left out and closes its session. */
  function toIntactPushes(rows: readonly Row[]): readonly PushRecord[] {
    return rows.flatMap((row) => {
      try {
        const push = toPush(row);
        return integrity.damaged.has(push.contextId) ? [] : [push];
      } catch (error) {
        integrity.damaged.note(error);
        return [];
      }
    });
  }

  return {
    savePush: async (push, { maxPerTask }) =>
      inTransaction(() => {
        integrity.damaged.check(push.contextId);
        const { taskId, configId } = push;
        const { count } = statements.countOtherPushes.get(taskId, configId) as { count: number };
        if (count >= maxPerTask) return false;
        setPush(push, statements);
        return true;
      }),
    listPushes: async (taskId) =>
      read(() => toIntactPushes(statements.listPushes.all(taskId) as readonly Row[])),
    async deletePush({ taskId, configId }) {
      inTransaction(() => statements.deletePush.run(taskId, configId));
    },
    notePush: async ({ taskId, configId, revision }, progress) =>
      inTransaction(() => {
        const known = findPush({ taskId, configId }, statements);
        if (known?.revision !== revision) return false;
        writePush({ ...known, progress }, statements);
        return true;
      }),
    async claimPushes({ now, limit, contextId = "" }) {
      const listDue = () =>
        toIntactPushes(statements.listDuePushes.all(now, limit, contextId) as Row[]);
      // Usually no config is due. A read finds this out without the lock that a transaction needs.
      if (read(listDue).length === 0) return [];
      return inTransaction(() =>
        listDue().map((due) => {
          const { nextAttemptAt: _, ...progress } = due.progress;
          const claimed = { ...due, progress };
          writePush(claimed, statements);
          return claimed;
        }),
      );
    },
    async countWaitingPushes({ contextId = "" } = {}) {
      const row = read(() => statements.countWaitingPushes.get(contextId)) as Row;
      const count = Number(row.count);
      return count === 0 ? { count } : { count, nextAt: String(row.next_at) };
    },
    async resumePushes(nextAttemptAt, { contextId = "" } = {}) {
      if (read(() => statements.findAnyPush.get(contextId)) === undefined) return false;
      inTransaction(() => {
        for (const push of toIntactPushes(statements.listStrandedPushes.all(contextId) as Row[])) {
          writePush({ ...push, progress: { ...push.progress, nextAttemptAt } }, statements);
        }
      });
      return true;
    },
  };
}

/** Sets a config, alone or as part of a commit. A config that is set again keeps its position. */
export function setPush(push: PushRecord, statements: Statements): void {
  writePush(mergePush(findPush(push, statements), push), statements);
}

function findPush({ taskId, configId }: PushKey, statements: Statements): PushRecord | undefined {
  const row = statements.findPush.get(taskId, configId) as Row | undefined;
  return row && toPush(row);
}

function writePush(push: PushRecord, statements: Statements): void {
  statements.writePush.run(...withChecksum("pushes", pushColumns(push)));
}
