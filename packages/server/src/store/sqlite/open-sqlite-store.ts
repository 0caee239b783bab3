import { mkdirSync } from "node:fs";
import path from "node:path";
import type { JsonObject, TaskState } from "@dt/schema";
import Database from "libsql";
import { SetupError } from "../../errors/setup-error.js";
import type { Commit, SessionStore } from "../session-store.js";
import { migrations } from "./schema.js";

type Row = Record<string, unknown>;

/** Options of {@link openSqliteStore}. */
export interface SqliteStoreOptions {
  /** The database file; its directory is made where it does not exist. */
  readonly file: string;
}

/**
 * A store in one SQLite file, of one process at a time.
 *
 * Survives `kill -9` at any moment; commits marked critical survive the loss of power too.
 */
export function openSqliteStore({ file }: SqliteStoreOptions): SessionStore {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const lock = lockFile(file);
  const database = openDatabase(file, lock);
  const statements = prepareStatements(database);
  let isFull = false;

  // Between transactions only: SQLite ignores the pragma inside one.
  function setDurability(wantsFull: boolean): void {
    if (wantsFull === isFull) return;
    database.exec(`PRAGMA synchronous = ${wantsFull ? "FULL" : "NORMAL"}`);
    isFull = wantsFull;
  }

  function write(commit: Commit): void {
    const { contextId, session, events, journal, receipt } = commit;
    if (session !== undefined) {
      const { owner, settings, createdAt } = session;
      statements.insertSession.run(contextId, owner, JSON.stringify(settings), createdAt);
    }
    for (const { seq, event } of events) {
      statements.insertEvent.run(contextId, seq, event.taskId, JSON.stringify(event));
    }
    const last = events.at(-1);
    if (last !== undefined) statements.updateSession.run(last.seq, contextId);
    // Only where each task stands after all of it is worth a write.
    const heads = new Map(
      events.map(({ seq, event }) => [event.taskId, { seq, state: event.state }]),
    );
    for (const [taskId, { seq, state }] of heads) {
      statements.upsertTask.run(taskId, contextId, state, seq, contextId);
    }
    for (const record of journal) {
      statements.insertJournal.run(contextId, JSON.stringify(record), contextId);
    }
    if (receipt !== undefined) {
      const { principal, messageId, taskId, turn, after } = receipt;
      statements.insertReceipt.run(principal, messageId, contextId, taskId, turn, after);
    }
  }

  return {
    async commit(commits) {
      setDurability(commits.some((commit) => commit.isCritical));
      database.exec("BEGIN IMMEDIATE");
      try {
        for (const commit of commits) write(commit);
        database.exec("COMMIT");
      } catch (error) {
        database.exec("ROLLBACK");
        throw error;
      }
    },
    async findSession(contextId) {
      const row = statements.findSession.get(contextId) as Row | undefined;
      if (row === undefined) return undefined;
      return {
        contextId,
        owner: String(row.owner),
        settings: JSON.parse(String(row.settings)),
        createdAt: String(row.created_at),
        lastSeq: Number(row.last_seq),
      };
    },
    async findTask(taskId) {
      const row = statements.findTask.get(taskId) as Row | undefined;
      if (row === undefined) return undefined;
      return {
        taskId,
        contextId: String(row.context_id),
        owner: String(row.owner),
        state: String(row.state) as TaskState,
        lastSeq: Number(row.last_seq),
      };
    },
    async findReceipt(principal, messageId) {
      const row = statements.findReceipt.get(principal, messageId) as Row | undefined;
      if (row === undefined) return undefined;
      return {
        principal,
        messageId,
        contextId: String(row.context_id),
        taskId: String(row.task_id),
        turn: Number(row.turn),
        after: Number(row.after_seq),
      };
    },
    async readEvents({ contextId, after, limit, taskId }) {
      const rows = (
        taskId === undefined
          ? statements.readEvents.all(contextId, after, limit)
          : statements.readTaskEvents.all(taskId, after, limit)
      ) as Row[];
      return rows.map((row) => ({ seq: Number(row.seq), event: JSON.parse(String(row.event)) }));
    },
    async readJournal(contextId) {
      const rows = statements.readJournal.all(contextId) as Row[];
      return rows.map((row) => JSON.parse(String(row.record)) as JsonObject);
    },
    async listUnfinished() {
      const rows = statements.listUnfinished.all() as Row[];
      return rows.map((row) => String(row.context_id));
    },
    async close() {
      database.close();
      lock.release();
    },
  };
}

/**
 * Keeps every other process away until it is released, or until this process ends in any way. A file
 * of its own, since libsql lets go of a database only when its statements are collected.
 */
function lockFile(file: string): { release(): void } {
  const lock = new Database(`${file}.lock`);
  try {
    lock.exec("BEGIN EXCLUSIVE");
  } catch (cause) {
    lock.close();
    throw new SetupError(
      `${file} is in use by another process; stop it or choose another DT_DATA_DIR`,
      { cause },
    );
  }
  return {
    release() {
      lock.exec("ROLLBACK");
      lock.close();
    },
  };
}

function openDatabase(file: string, lock: { release(): void }): Database.Database {
  let database: Database.Database;
  try {
    database = new Database(file);
    database.exec("PRAGMA journal_mode = WAL");
    database.exec("PRAGMA synchronous = NORMAL");
    migrate(database, file);
  } catch (cause) {
    lock.release();
    throw toSetupError(file, cause);
  }
  return database;
}

function migrate(database: Database.Database, file: string): void {
  const { user_version: version } = database.prepare("PRAGMA user_version").get() as {
    user_version: number;
  };
  if (version > migrations.length) {
    throw new SetupError(`${file} was written by a newer dt; this one cannot read it`);
  }
  database.exec("BEGIN IMMEDIATE");
  for (const migration of migrations.slice(version)) database.exec(migration);
  database.exec(`PRAGMA user_version = ${migrations.length}`);
  database.exec("COMMIT");
}

function toSetupError(file: string, cause: unknown): Error {
  if (cause instanceof SetupError) return cause;
  const message = cause instanceof Error ? cause.message : String(cause);
  if (/not a database|malformed/i.test(message)) {
    return new SetupError(`${file} is damaged (${message}); it was left as it is`, { cause });
  }
  return new SetupError(`${file} cannot be opened: ${message}`, { cause });
}

function prepareStatements(database: Database.Database) {
  return {
    insertSession: database.prepare(
      "INSERT INTO sessions (context_id, owner, settings, created_at, last_seq) VALUES (?, ?, ?, ?, 0)",
    ),
    updateSession: database.prepare("UPDATE sessions SET last_seq = ? WHERE context_id = ?"),
    insertEvent: database.prepare(
      "INSERT INTO events (context_id, seq, task_id, event) VALUES (?, ?, ?, ?)",
    ),
    insertJournal: database.prepare(
      `INSERT INTO journal (context_id, number, record) VALUES (?1, (
         SELECT coalesce(max(number), 0) + 1 FROM journal WHERE context_id = ?3
       ), ?2)`,
    ),
    upsertTask: database.prepare(
      `INSERT INTO tasks (task_id, context_id, owner, state, last_seq)
       VALUES (?1, ?2, (SELECT owner FROM sessions WHERE context_id = ?5), ?3, ?4)
       ON CONFLICT (task_id) DO UPDATE SET state = excluded.state, last_seq = excluded.last_seq`,
    ),
    insertReceipt: database.prepare(
      `INSERT INTO receipts (principal, message_id, context_id, task_id, turn, after_seq)
       VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    ),
    findSession: database.prepare("SELECT * FROM sessions WHERE context_id = ?"),
    findTask: database.prepare("SELECT * FROM tasks WHERE task_id = ?"),
    findReceipt: database.prepare("SELECT * FROM receipts WHERE principal = ? AND message_id = ?"),
    readEvents: database.prepare(
      "SELECT seq, event FROM events WHERE context_id = ? AND seq > ? ORDER BY seq LIMIT ?",
    ),
    readTaskEvents: database.prepare(
      "SELECT seq, event FROM events WHERE task_id = ? AND seq > ? ORDER BY seq LIMIT ?",
    ),
    readJournal: database.prepare(
      "SELECT record FROM journal WHERE context_id = ? ORDER BY number",
    ),
    listUnfinished: database.prepare(
      "SELECT DISTINCT context_id FROM tasks WHERE state IN ('submitted', 'working')",
    ),
  };
}
