import { chmodSync, existsSync, mkdirSync, statSync } from "node:fs";
import path from "node:path";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { SetupError } from "../../errors/setup-error.js";
import type { CommitOutcomes } from "../commit.js";
import type { SessionStore } from "../session-store.js";
import type { StoreFault } from "../store-fault.js";
import { withChecksum } from "./checksum.js";
import { createTaskLister } from "./list-tasks.js";
import { type FileLock, lockFile } from "./database/lock-file.js";
import { openDatabase, toSetupError } from "./database/open-database.js";
import { createSqlitePushes } from "./pushes/sqlite-pushes.js";
import { viewColumns } from "./rows.js";
import { watchFiles } from "./soundness/file-watch.js";
import { checkKeys, scanRows } from "./soundness/scan-rows.js";
import { createSoundness } from "./soundness/soundness.js";
import { createSqliteLeases } from "./sqlite-leases.js";
import { createSqliteReader } from "./sqlite-reader.js";
import { prepareStatements, type Statements } from "./statements.js";
import { createTransaction } from "./database/transaction.js";
import { writeCommits } from "./write-commits.js";
import { createWrittenRows } from "./written-rows.js";

/** Options of {@link openSqliteStore}. */
export interface SqliteStoreOptions {
  /** The database file; its directory is made if it does not exist. */
  readonly file: string;
  /** How large the file may become; past it, commits are refused as on a full disk. */
  readonly maxBytes?: number;
  /**
   * Whether several processes may use the file at once, each with sessions of its own that it claims.
   * Default: false, one process alone.
   */
  readonly isShared?: boolean;
  /**
   * Files up to this size are checked for damage before they are used, larger ones meanwhile.
   * Default: 64 MiB, which takes about 50 ms.
   */
  readonly checkedBytes?: number;
  /** How often to look whether the files are still there. Default: 500 ms. */
  readonly watchMs?: number;
  /** Called for each damaged session, and when the store becomes read-only or its files are gone. */
  readonly onFault?: (fault: StoreFault) => void;
}

/** How long a commit waits for another process that is committing. Nothing else happens meanwhile. */
const BUSY_MS = 5_000;
/** The same if no other dt writes: a backup or a person with a shell may hold the file for a moment. */
const BUSY_ALONE_MS = 1_000;
/** More than most commits need, so that the database has to grow for it. */
const PROBE = "x".repeat(64 * 1024);
const CHECKED_BYTES = 64 * 1024 * 1024;
const WATCH_MS = 500;

/**
 * A store in one SQLite file, of one process at a time unless it is shared.
 *
 * Survives `kill -9` at any moment; commits marked critical survive the loss of power too.
 */
export function openSqliteStore(options: SqliteStoreOptions): SessionStore {
  const { file, isShared = false, watchMs = WATCH_MS, onFault = () => {} } = options;
  const { database, statements, lock, busyMs, isChecked } = openFile(options);
  const transact = createTransaction(database, busyMs);
  const files = [file, `${file}-wal`, `${file}-shm`, ...(isShared ? [] : [`${file}.lock`])];
  const watch = watchFiles({ files, everyMs: watchMs, onGone: onFault });
  const tryWrite = () =>
    transact(() => {
      statements.insertJournal.run("", 0, PROBE, null);
      statements.deleteJournal.run("");
    });
  const soundness = createSoundness({ file, watch, tryWrite, onFault });
  const { damaged } = soundness;
  const listTasks = createTaskLister(database, damaged.note);
  const written = createWrittenRows();
  const leases = createSqliteLeases({ file, isShared, statements, soundness, transact, written });
  const writing = { statements, written, heldEpoch: leases.epochOf };
  let isClosed = false;

  function checkOpen(): void {
    if (isClosed) throw new Error("the store is closed");
  }

  function release(): void {
    isClosed = true;
    soundness.close();
    watch.close();
    database.close();
    lock?.release();
  }

  try {
    if (isChecked) checkKeys(database, damaged.note);
    else soundness.startScan(scanRows(database, damaged.note));
  } catch (cause) {
    release();
    throw toSetupError(file, cause);
  }

  return {
    async check() {
      checkOpen();
      soundness.check();
      return { damagedSessions: damaged.ids };
    },
    async commit(commits) {
      checkOpen();
      for (const { contextId } of commits) damaged.check(contextId);
      const isCritical = commits.some((commit) => commit.isCritical);
      // A receipt tells a client that its message is kept, so the files must be there.
      const isAcknowledged = commits.some(({ receipt }) => receipt !== undefined);
      let outcomes: CommitOutcomes = new Map();
      const write = () =>
        transact(() => {
          outcomes = writeCommits(commits, writing);
        }, isCritical);
      try {
        soundness.append(write, isCritical || isAcknowledged);
      } catch (error) {
        written.clear();
        throw error;
      }
      leases.note(commits, outcomes);
      return outcomes;
    },
    async acquire(contextId, acquireOptions) {
      checkOpen();
      damaged.check(contextId);
      return leases.acquire(contextId, acquireOptions);
    },
    ...createSqliteReader({ checkOpen, statements, soundness, listTasks }),
    async saveView(view) {
      checkOpen();
      const columns = withChecksum("views", viewColumns(view));
      soundness.write(() => transact(() => statements.saveView.run(...columns)));
    },
    async deleteSession(contextId) {
      checkOpen();
      soundness.write(() =>
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
      written.clear();
      damaged.forget(contextId);
    },
    ...createSqlitePushes({ checkOpen, statements, soundness, transact }),
    async close() {
      if (isClosed) return;
      try {
        // Leaves one whole file behind.
        database.exec(`PRAGMA wal_checkpoint(${isShared ? "PASSIVE" : "TRUNCATE"})`);
      } catch {
        // The disk is full: what is committed stays in the file beside it.
      }
      release();
    },
  };
}

/** A database that is open and up to date, and what keeps other processes away. */
interface OpenFile {
  readonly database: DatabaseSyncInstance;
  readonly statements: Statements;
  readonly lock: FileLock | undefined;
  readonly busyMs: number;
  /** Whether the file was small enough to be checked before it is used. */
  readonly isChecked: boolean;
}

function openFile(options: SqliteStoreOptions): OpenFile {
  const { file, maxBytes, isShared = false, checkedBytes = CHECKED_BYTES } = options;
  makeDirectory(path.dirname(file));
  const lock = isShared ? undefined : lockFile(file);
  let database: DatabaseSyncInstance | undefined;
  try {
    const isChecked = sizeOf(file) <= checkedBytes;
    const busyMs = isShared ? BUSY_MS : BUSY_ALONE_MS;
    database = openDatabase({ file, maxBytes, isChecked, busyMs });
    keepPrivate(file);
    return { database, statements: prepareStatements(database), lock, busyMs, isChecked };
  } catch (cause) {
    database?.close();
    lock?.release();
    throw toSetupError(file, cause);
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
