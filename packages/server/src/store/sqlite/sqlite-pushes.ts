import type { PushProgress, PushRecord } from "../push-record.js";
import type { PushStore } from "../push-store.js";
import { type Row, toPush } from "./rows.js";
import type { Statements } from "./statements.js";

/** What the outbox needs of its store. */
export interface SqlitePushesOptions {
  /** Gives back what it is given; throws where the store is closed. */
  opened<TValue>(value: TValue): TValue;
  readonly statements: Statements;
  /** Runs work as one transaction. */
  transact(work: () => void): void;
}

/** The push configs of a SQLite store. */
export function createSqlitePushes(options: SqlitePushesOptions): PushStore {
  const { opened, statements, transact } = options;

  /** Runs work as one transaction, and gives what came of it. */
  function inTransaction<TValue>(work: () => TValue): TValue {
    const results: TValue[] = [];
    opened(transact)(() => results.push(work()));
    return results[0] as TValue;
  }

  return {
    savePush: async (push, { maxPerTask }) =>
      inTransaction(() => {
        const { taskId, configId } = push;
        const { count } = statements.countOtherPushes.get(taskId, configId) as { count: number };
        if (count >= maxPerTask) return false;
        writePush(push, statements);
        return true;
      }),
    async listPushes(taskId) {
      const rows = opened(statements).listPushes.all(taskId) as Row[];
      return rows.map(toPush);
    },
    async deletePush({ taskId, configId }) {
      inTransaction(() => statements.deletePush.run(taskId, configId));
    },
    notePush: async ({ taskId, configId, revision }, progress) =>
      inTransaction(() => {
        const values = [...valuesOf(progress), taskId, configId, revision];
        return statements.notePush.run(...values).changes > 0;
      }),
    async claimPushes({ now, limit, contextId = "" }) {
      const listDue = () => statements.listDuePushes.all(now, limit, contextId) as Row[];
      // Mostly there are none, and to look needs no lock.
      if (opened(listDue)().length === 0) return [];
      return inTransaction(() => {
        const rows = listDue();
        for (const row of rows) statements.claimPush.run(row.task_id, row.config_id);
        return rows.map((row) => toPush({ ...row, next_attempt_at: null }));
      });
    },
    async countWaitingPushes({ contextId = "" } = {}) {
      const row = opened(statements).countWaitingPushes.get(contextId) as Row;
      const count = Number(row.count);
      return count === 0 ? { count } : { count, nextAt: String(row.next_at) };
    },
    async resumePushes(now, { contextId = "" } = {}) {
      if (opened(statements).findAnyPush.get(contextId) === undefined) return false;
      inTransaction(() => statements.resumePushes.run(now, contextId));
      return true;
    },
  };
}

/** Sets a config, alone or as part of a commit. */
export function writePush(push: PushRecord, { upsertPush }: Statements): void {
  const { taskId, configId, contextId, revision, target, progress } = push;
  const json = JSON.stringify(target);
  upsertPush.run(taskId, configId, contextId, revision, json, ...valuesOf(progress));
}

function valuesOf(progress: PushProgress) {
  const { after, isTaskDue, attempts, failures, nextAttemptAt, lastError, hasGivenUp } = progress;
  return [
    after,
    isTaskDue ? 1 : 0,
    attempts,
    failures,
    nextAttemptAt ?? null,
    lastError ?? null,
    hasGivenUp ? 1 : 0,
  ];
}
