import { sessionAccount } from "../budgets/budget-store.js";
import type { Commit, CommitOutcomes } from "../commit.js";
import type { SessionStore } from "../session-store.js";
import { checksumOf, withChecksum } from "./checksum.js";
import type { Integrity } from "./integrity/integrity.js";
import {
  type Row,
  sessionColumns,
  taskColumns,
  toSessionRow,
  toTaskRow,
  viewColumns,
} from "./rows.js";
import type { SqliteLeases } from "./sqlite-leases.js";
import type { Statements } from "./statements.js";
import { writeCommits } from "./write-commits.js";
import type { WrittenRows } from "./written-rows.js";

/** The methods of a SQLite store that store commits and views, change owners and delete sessions. */
export type SqliteWriter = Pick<
  SessionStore,
  "commit" | "saveView" | "changeOwner" | "deleteSession"
>;

/** Options of {@link createSqliteWriter}. */
export interface SqliteWriterOptions {
  /** Throws if the store is closed. */
  checkOpen(): void;
  readonly statements: Statements;
  readonly integrity: Pick<Integrity, "append" | "write" | "damaged">;
  readonly written: WrittenRows;
  readonly leases: Pick<SqliteLeases, "epochOf" | "endLost">;
  /** Runs work as one transaction. A critical transaction survives a loss of power. */
  transact(work: () => void, isCritical?: boolean): void;
}

/** Creates the writing methods of a SQLite store. */
export function createSqliteWriter(options: SqliteWriterOptions): SqliteWriter {
  const { checkOpen, statements, integrity, written, leases, transact } = options;
  const { damaged } = integrity;
  const writing = { statements, written, heldEpoch: leases.epochOf };

  function write(commits: readonly Commit[]): CommitOutcomes {
    const isCritical = commits.some((commit) => commit.isCritical);
    // A receipt confirms to a client that its message is stored, so `append` must first check the files.
    const isAcknowledged = commits.some(({ receipt }) => receipt !== undefined);
    let outcomes: CommitOutcomes = new Map();
    const work = () => {
      outcomes = writeCommits(commits, writing);
    };
    try {
      integrity.append(() => transact(work, isCritical), isCritical || isAcknowledged);
    } catch (error) {
      written.clear();
      throw error;
    }
    return outcomes;
  }

  return {
    async commit(commits) {
      checkOpen();
      for (const { contextId } of commits) damaged.check(contextId);
      const outcomes = write(commits);
      leases.endLost(commits, outcomes);
      return outcomes;
    },
    async saveView(view) {
      checkOpen();
      const columns = withChecksum("views", viewColumns(view));
      integrity.write(() => transact(() => statements.saveView.run(...columns)));
    },
    async changeOwner(from, to) {
      checkOpen();
      let count = 0;
      const give = () => {
        count = giveSessions({ from, to, isDamaged: damaged.has }, statements);
      };
      integrity.write(() => transact(give, true));
      written.clear();
      return count;
    },
    async deleteSession(contextId) {
      checkOpen();
      integrity.write(() => transact(() => deleteRows(contextId, statements)));
      written.clear();
      damaged.forget(contextId);
    },
  };
}

/** Changes the owner of sessions and tasks. Damaged sessions are left as they are. */
function giveSessions(
  { from, to, isDamaged }: { from: string; to: string; isDamaged(contextId: string): boolean },
  statements: Statements,
): number {
  const rows = statements.listOwnSessions.all(from) as Row[];
  const sessions = rows
    .filter((row) => !isDamaged(String(row.context_id)))
    .map((row) => ({ ...toSessionRow(row), owner: to }));
  for (const session of sessions) {
    const { contextId } = session;
    statements.giveSession.run(to, checksumOf("sessions", sessionColumns(session)), contextId);
    for (const row of statements.listSessionTasks.all(contextId) as Row[]) {
      const task = { ...toTaskRow(row), owner: to };
      statements.giveTask.run(to, checksumOf("tasks", taskColumns(task)), task.taskId);
    }
  }
  return sessions.length;
}

function deleteRows(contextId: string, statements: Statements): void {
  statements.deleteEvents.run(contextId);
  statements.deleteJournal.run(contextId);
  statements.deleteViews.run(contextId);
  statements.deleteTasks.run(contextId);
  statements.deleteReceipts.run(contextId);
  statements.deleteGrants.run(contextId);
  statements.deleteSessionPushes.run(contextId);
  statements.deleteBudget.run(sessionAccount(contextId));
  statements.deleteSession.run(contextId);
}
