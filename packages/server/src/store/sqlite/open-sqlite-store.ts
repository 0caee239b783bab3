import { chmodSync, existsSync, mkdirSync, statSync } from "node:fs";
import path from "node:path";
import type { JsonObject } from "@dt/schema";
import type Database from "libsql";
import { SetupError } from "../../errors/setup-error.js";
import { createSessionClaims } from "../session-claims.js";
import type { SessionStore } from "../session-store.js";
import { countWithin, type ReadSizes } from "./count-within.js";
import { createTaskLister } from "./list-tasks.js";
import { type FileLock, lockFile, lockSession } from "./lock-file.js";
import { type OpenDatabaseOptions, openDatabase } from "./open-database.js";
import { type Row, toCounts, toLogEvent, toReceipt, toSession, toTask, toView } from "./rows.js";
import { createSoundness } from "./soundness.js";
import { createSqlitePushes } from "./sqlite-pushes.js";
import { prepareStatements } from "./statements.js";
import { createTransaction } from "./transaction.js";
import { writeCommits } from "./write-commits.js";

/** Options of {@link openSqliteStore}. */
export interface SqliteStoreOptions {
  /** The database file; its directory is made where it does not exist. */
  readonly file: string;
  /** How large the file may become; past it, commits are refused as on a full disk. */
  readonly maxBytes?: number;
  /**
   * Whether several processes may use the file at once, each with sessions of its own that it claims.
   * Default: false, one process alone.
   */
  readonly isShared?: boolean;
  /**
   * Files up to this size are looked through for damage before they are used, larger ones meanwhile.
   * Default: 64 MiB, which takes about 50 ms.
   */
  readonly checkedBytes?: number;
  /** Told when damage is found in a file that is in use; nothing more is written to it then. */
  readonly onDamage?: (error: Error) => void;
}

/** How long a commit waits for another process that is committing. Nothing else happens meanwhile. */
const BUSY_MS = 5_000;
/** The same where no other dt writes: a backup or a person with a shell may hold the file for a moment. */
const BUSY_ALONE_MS = 1_000;
/** More than fits on a page, so that the database has to grow for it. */
const PROBE = "x".repeat(8 * 1024);
const CHECKED_BYTES = 64 * 1024 * 1024;

/**
 * A store in one SQLite file, of one process at a time unless it is shared.
 *
 * Survives `kill -9` at any moment; commits marked critical survive the loss of power too.
 */
export function openSqliteStore(options: SqliteStoreOptions): SessionStore {
  const { file, maxBytes, isShared = false, checkedBytes = CHECKED_BYTES } = options;
  const { onDamage = () => {} } = options;
  makeDirectory(path.dirname(file));
  const lock = isShared ? undefined : lockFile(file);
  const isChecked = sizeOf(file) <= checkedBytes;
  const busyMs = isShared ? BUSY_MS : BUSY_ALONE_MS;
  const database = openLocked({ file, maxBytes, isChecked, busyMs }, lock);
  keepPrivate(file);
  const statements = prepareStatements(database);
  const listTasks = createTaskLister(database);
  const transact = createTransaction(database, busyMs);
  const claims = createSessionClaims(
    isShared ? (contextId) => lockSession(file, contextId) : undefined,
  );
  const tryWrite = () =>
    transact(() => {
      statements.insertJournal.run("", 0, PROBE);
      statements.deleteJournal.run("");
    });
  const soundness = createSoundness({ database, file, tryWrite, onDamage });
  if (!isChecked) soundness.startScan();
  let isClosed = false;

  // Statements outlive their database in libsql; a closed store must not.
  function get<TValue>(
    statement: Database.Statement,
    convert: (row: Row) => TValue,
    values: unknown[],
  ) {
    const row = opened(statement).get(...values) as Row | undefined;
    return row === undefined ? undefined : convert(row);
  }

  function opened<TValue>(value: TValue): TValue {
    if (isClosed) throw new Error("the store is closed");
    return value;
  }

  return {
    check: async () => opened(soundness).check(),
    async commit(commits) {
      const isCritical = commits.some((commit) => commit.isCritical);
      opened(soundness).append(() => transact(() => writeCommits(commits, statements), isCritical));
    },
    findSession: async (contextId) => get(statements.findSession, toSession, [contextId]),
    async claimSession(contextId) {
      return opened(claims).claim(contextId);
    },
    async listSessions({ owner, workspacePath = "", limit }) {
      const rows = opened(statements).listSessions.all(owner, workspacePath, limit) as Row[];
      return rows.map(toSession);
    },
    findTask: async (taskId) => get(statements.findTask, toTask, [taskId]),
    listTasks: async (query) => opened(listTasks)(query),
    async countTasks(owner) {
      const { countTasks, countOwnTasks } = opened(statements);
      const rows = owner === undefined ? countTasks.all() : countOwnTasks.all(owner);
      return toCounts(rows as Row[]);
    },
    findReceipt: async (principal, messageId) =>
      get(statements.findReceipt, toReceipt, [principal, messageId]),
    async readEvents({ contextId, after, limit, taskId, kinds, maxBytes }) {
      const { sizeEvents, readEvents, readTaskEvents, readTaskKinds } = opened(statements);
      if (taskId === undefined) {
        const sizesOf: ReadSizes = (from, most) =>
          (sizeEvents.all(contextId, from, most) as Row[]).map(({ bytes }) => Number(bytes));
        const count =
          maxBytes === undefined ? limit : countWithin({ after, limit, maxBytes }, sizesOf);
        return (readEvents.all(contextId, after, count) as Row[]).map(toLogEvent);
      }
      const rows =
        kinds === undefined
          ? readTaskEvents.all(taskId, after, limit)
          : readTaskKinds.all(taskId, after, limit, JSON.stringify(kinds.only), kinds.upTo);
      return (rows as Row[]).map(toLogEvent);
    },
    findView: async (taskId) => get(statements.findView, toView, [taskId]),
    async saveView({ taskId, contextId, seq, json }) {
      opened(soundness).write(() =>
        transact(() => statements.saveView.run(taskId, contextId, seq, json)),
      );
    },
    async readJournal(contextId) {
      const rows = opened(statements).readJournal.all(contextId) as Row[];
      return rows.map((row) => JSON.parse(String(row.record)) as JsonObject);
    },
    async listUnfinished() {
      const rows = opened(statements).listUnfinished.all() as Row[];
      return rows.map((row) => String(row.context_id));
    },
    async listUntouched(since) {
      const rows = opened(statements).listUntouched.all(since) as Row[];
      return rows.map((row) => String(row.context_id));
    },
    async deleteSession(contextId) {
      opened(soundness).write(() =>
        transact(() => {
          statements.deleteEvents.run(contextId);
          statements.deleteJournal.run(contextId);
          statements.deleteViews.run(contextId);
          statements.deleteTasks.run(contextId);
          statements.deleteReceipts.run(contextId);
          statements.deleteSessionPushes.run(contextId);
          statements.deleteSession.run(contextId);
        }),
      );
    },
    ...createSqlitePushes({
      opened,
      statements,
      transact: (work) => soundness.write(() => transact(work)),
    }),
    async close() {
      if (isClosed) return;
      isClosed = true;
      soundness.close();
      try {
        // Leaves one whole file behind; libsql itself lets go only when statements are collected.
        database.exec(`PRAGMA wal_checkpoint(${isShared ? "PASSIVE" : "TRUNCATE"})`);
      } catch {
        // The disk is full: what is committed stays in the file beside it.
      }
      database.close();
      lock?.release();
    },
  };
}

function openLocked(options: OpenDatabaseOptions, lock: FileLock | undefined): Database.Database {
  try {
    return openDatabase(options);
  } catch (error) {
    lock?.release();
    throw error;
  }
}

function makeDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (cause) {
    const { message } = cause as Error;
    throw new SetupError(`${directory} cannot be made: ${message}; choose another DT_DATA_DIR`, {
      cause,
    });
  }
}

function sizeOf(file: string): number {
  return existsSync(file) ? statSync(file).size : 0;
}

// Conversations are their owner's alone; what SQLite makes later gets the mode of the database.
function keepPrivate(file: string): void {
  for (const each of [file, `${file}-wal`, `${file}-shm`, `${file}.lock`]) {
    if (existsSync(each)) chmodSync(each, 0o600);
  }
}
