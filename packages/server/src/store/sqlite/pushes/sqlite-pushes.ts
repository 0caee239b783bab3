import { mergePush, type PushKey, type PushRecord } from "../../push-record.js";
import type { PushStore } from "../../push-store.js";
import { withChecksum } from "../checksum.js";
import type { Row } from "../rows.js";
import type { Soundness } from "../soundness/soundness.js";
import type { Statements } from "../statements.js";
import { pushColumns, toPush } from "./push-rows.js";

/** What the outbox needs of its store. */
export interface SqlitePushesOptions {
  /** Throws if the store is closed. */
  checkOpen(): void;
  readonly statements: Statements;
  readonly soundness: Pick<Soundness, "read" | "write" | "damaged">;
  /** Runs work as one transaction. */
  transact(work: () => void): void;
}

/** The push configs of a SQLite store. */
export function createSqlitePushes(options: SqlitePushesOptions): PushStore {
  const { checkOpen, statements, soundness, transact } = options;

  /** Runs work as one transaction, and returns its result. */
  function inTransaction<TValue>(work: () => TValue): TValue {
    checkOpen();
    const results: TValue[] = [];
    soundness.write(() => transact(() => results.push(work())));
    return results[0] as TValue;
  }

  function read<TValue>(work: () => TValue): TValue {
    checkOpen();
    return soundness.read(work);
  }

  /** Rows as configs; a damaged one closes its session, and the others go on. */
  function toWhole(rows: readonly Row[]): readonly PushRecord[] {
    return rows.flatMap((row) => {
      try {
        const push = toPush(row);
        return soundness.damaged.has(push.contextId) ? [] : [push];
      } catch (error) {
        soundness.damaged.note(error);
        return [];
      }
    });
  }

  return {
    savePush: async (push, { maxPerTask }) =>
      inTransaction(() => {
        soundness.damaged.check(push.contextId);
        const { taskId, configId } = push;
        const { count } = statements.countOtherPushes.get(taskId, configId) as { count: number };
        if (count >= maxPerTask) return false;
        setPush(push, statements);
        return true;
      }),
    listPushes: async (taskId) =>
      read(() => toWhole(statements.listPushes.all(taskId) as readonly Row[])),
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
      const listDue = () => toWhole(statements.listDuePushes.all(now, limit, contextId) as Row[]);
      // Looking needs no lock, and mostly there are none.
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
        for (const push of toWhole(statements.listStrandedPushes.all(contextId) as Row[])) {
          writePush({ ...push, progress: { ...push.progress, nextAttemptAt } }, statements);
        }
      });
      return true;
    },
  };
}

/** Sets a config, alone or as part of a commit; one that is set again keeps its position. */
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
