import type { SessionStore } from "../session-store.js";
import type { StoreFault } from "../store-fault.js";
import { createSqliteAudit } from "./audit/sqlite-audit.js";
import { createSqliteBudgets } from "./budgets/sqlite-budgets.js";
import { toSetupError } from "./database/open-database.js";
import { openFile } from "./database/open-file.js";
import { createTransaction } from "./database/transaction.js";
import { createSqliteGrants } from "./grants/sqlite-grants.js";
import { watchFiles } from "./integrity/file-watch.js";
import { createIntegrity } from "./integrity/integrity.js";
import { checkKeys, scanRows } from "./integrity/scan-rows.js";
import { createTaskLister } from "./list-tasks.js";
import { createSqlitePushes } from "./pushes/sqlite-pushes.js";
import { createSqliteLeases } from "./sqlite-leases.js";
import { createSqliteReader } from "./sqlite-reader.js";
import { createSqliteWriter } from "./sqlite-writer.js";
import { createSqliteTokens } from "./tokens/sqlite-tokens.js";
import { createWrittenRows } from "./written-rows.js";

/** Options of {@link openSqliteStore}. */
export interface SqliteStoreOptions {
  /** The database file; its directory is created if it does not exist. */
  readonly file: string;
  /** Maximum size of the file. Commits beyond it are refused as on a full disk. Default: no limit. */
  readonly maxBytes?: number;
  /**
   * True if several processes may use the file at the same time. Each session belongs to one of them. Default: false.
   */
  readonly isShared?: boolean;
  /**
   * A file up to this size is checked for damage before it is used. A larger file is checked while it is used.
   * Default: 64 MiB. The check of a file of this size takes about 50 ms.
   */
  readonly checkedBytes?: number;
  /** Interval at which the store checks that its files were not deleted or replaced. Default: 500 ms. */
  readonly watchMs?: number;
  /** Called for each damaged session, and when the store becomes read-only or its files are gone. */
  readonly onFault?: (fault: StoreFault) => void;
}

/** Text of a test write. It is larger than most commits, so that the database must grow for it. */
const PROBE = "x".repeat(64 * 1024);
const CHECKED_BYTES = 64 * 1024 * 1024;
const WATCH_MS = 500;

/**
 * Opens a store in one SQLite file, for one process at a time unless it is shared.
 *
 * Commits survive `kill -9` at any moment. Critical commits also survive a loss of power.
 */
export function openSqliteStore(options: SqliteStoreOptions): SessionStore {
  const { file, isShared = false, checkedBytes = CHECKED_BYTES, onFault = () => {} } = options;
  const opened = openFile({ ...options, isShared, checkedBytes });
  const { database, statements, lock, busyMs, isChecked } = opened;
  const transact = createTransaction(database, busyMs);
  const files = [file, `${file}-wal`, `${file}-shm`, ...(isShared ? [] : [`${file}.lock`])];
  const watch = watchFiles({ files, everyMs: options.watchMs ?? WATCH_MS, onGone: onFault });
  const tryWrite = () =>
    transact(() => {
      statements.insertJournal.run("", 0, PROBE, null);
      statements.deleteJournal.run("");
    });
  const integrity = createIntegrity({ file, watch, tryWrite, onFault });
  const { damaged } = integrity;
  const written = createWrittenRows();
  const parts = { checkOpen, statements, integrity, transact, written };
  const leases = createSqliteLeases({ ...parts, file, isShared });
  const listTasks = createTaskLister(database, damaged.note);
  let isClosed = false;

  function checkOpen(): void {
    if (isClosed) throw new Error("the store is closed");
  }

  function release(): void {
    isClosed = true;
    integrity.close();
    watch.close();
    database.close();
    lock?.release();
  }

  try {
    if (isChecked) checkKeys(database, damaged.note);
    else integrity.startScan(scanRows(database, damaged.note));
  } catch (cause) {
    release();
    throw toSetupError(file, cause);
  }

  return {
    ...createSqliteReader({ ...parts, listTasks }),
    ...createSqliteWriter({ ...parts, leases }),
    ...createSqlitePushes(parts),
    ...createSqliteTokens(parts),
    ...createSqliteBudgets(parts),
    ...createSqliteGrants(parts),
    ...createSqliteAudit(parts),
    async check() {
      checkOpen();
      integrity.check();
      return { damagedSessions: damaged.ids };
    },
    async acquire(contextId, acquireOptions) {
      checkOpen();
      damaged.check(contextId);
      return leases.acquire(contextId, acquireOptions);
    },
    async close() {
      if (isClosed) return;
      try {
        // Moves SQLite's write-ahead log to the main file. TRUNCATE would wait for readers of a shared file.
        database.exec(`PRAGMA wal_checkpoint(${isShared ? "PASSIVE" : "TRUNCATE"})`);
      } catch {
        // On a full disk, committed data stays in SQLite's write-ahead log.
      }
      release();
    },
  };
}
