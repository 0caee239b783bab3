import type { SessionStore, StoredSession } from "../session-store.js";
import { damagedSession } from "../store-fault.js";
import type { StoredTaskPage, TaskQuery } from "../task-page.js";
import type { Integrity } from "./integrity/integrity.js";
import { readEvents } from "./read-events.js";
import {
  type Row,
  toCounts,
  toJournal,
  toReceipt,
  toSession,
  toSessionRow,
  toTask,
  toView,
} from "./rows.js";
import type { Statements } from "./statements.js";

/** The methods of a SQLite store that read. */
export type SqliteReader = Pick<
  SessionStore,
  | "findSession"
  | "listSessions"
  | "findTask"
  | "listTasks"
  | "countTasks"
  | "findReceipt"
  | "readEvents"
  | "findView"
  | "readJournal"
  | "listUnfinished"
  | "listUntouched"
>;

/** Options of {@link createSqliteReader}. */
export interface SqliteReaderOptions {
  /** Throws if the store is closed. */
  checkOpen(): void;
  readonly statements: Statements;
  readonly integrity: Pick<Integrity, "read" | "damaged">;
  listTasks(query: TaskQuery): StoredTaskPage;
}

/** Creates the reading methods of a SQLite store. All except counts and lists of ids check the rows. */
export function createSqliteReader(options: SqliteReaderOptions): SqliteReader {
  const { checkOpen, statements, integrity, listTasks } = options;
  const { damaged } = integrity;

  async function read<TValue>(work: () => TValue): Promise<TValue> {
    checkOpen();
    return integrity.read(work);
  }

  function toIntactSession(row: Row): readonly StoredSession[] {
    try {
      return [toSession(row)];
    } catch (error) {
      damaged.note(error);
      return [];
    }
  }

  return {
    findSession: (contextId) =>
      read(() => {
        damaged.check(contextId);
        const row = statements.findSession.get(contextId) as Row | undefined;
        return row && toSession(row);
      }),
    listSessions: ({ owner, workspacePath = "", limit }) =>
      read(() => {
        const rows = statements.listSessions.all(owner, workspacePath, limit) as Row[];
        return rows.flatMap((row) => toIntactSession(row));
      }),
    findTask: (taskId) =>
      read(() => {
        const row = statements.findTask.get(taskId) as Row | undefined;
        const task = row && toTask(row);
        if (task !== undefined) damaged.check(task.contextId);
        return task;
      }),
    listTasks: (query) =>
      read(() => {
        if (query.contextId !== undefined) damaged.check(query.contextId);
        return listTasks(query);
      }),
    countTasks: (owner) =>
      read(() => {
        const { countTasks, countOwnTasks } = statements;
        const rows = owner === undefined ? countTasks.all() : countOwnTasks.all(owner);
        return toCounts(rows as Row[]);
      }),
    findReceipt: (user, messageId) =>
      read(() => {
        const row = statements.findReceipt.get(user, messageId) as Row | undefined;
        return row && toReceipt(row);
      }),
    readEvents: (query) => read(() => readEvents(query, statements)),
    findView: (taskId) =>
      read(() => {
        const row = statements.findView.get(taskId) as Row | undefined;
        return row && toView(row);
      }),
    readJournal: (contextId) =>
      read(() => {
        const rows = statements.readJournal.all(contextId) as Row[];
        const records = rows.map((row) => toJournal(row, contextId));
        const session = statements.findSession.get(contextId) as Row | undefined;
        if (session === undefined) return records;
        const { lastNumber } = toSessionRow(session);
        const missing = rows.findIndex(({ number }, index) => number !== index + 1);
        if (missing < 0 && rows.length === lastNumber) return records;
        const number = missing < 0 ? rows.length + 1 : missing + 1;
        throw damagedSession(contextId, `journal ${number}: missing`);
      }),
    listUnfinished: () =>
      read(() => (statements.listUnfinished.all() as Row[]).map((row) => String(row.context_id))),
    listUntouched: (since) =>
      read(() => {
        const rows = statements.listUntouched.all(since) as Row[];
        const ids = rows.map((row) => String(row.context_id));
        // Damaged sessions are not deleted, so that a person can inspect them.
        return ids.filter((contextId) => !damaged.has(contextId));
      }),
  };
}
