import { chmodSync, existsSync, mkdirSync, statSync } from "node:fs";
import path from "node:path";
import { SetupError } from "@dt/schema";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { prepareStatements, type Statements } from "../statements.js";
import { type FileLock, lockFile } from "./lock-file.js";
import { openDatabase, toSetupError } from "./open-database.js";

/** Options of {@link openFile}. */
export interface OpenFileOptions {
  readonly file: string;
  readonly maxBytes?: number;
  readonly isShared: boolean;
  /** Files up to this size are checked for damage before they are used. */
  readonly checkedBytes: number;
}

/** A database that is open and migrated, and the lock against other processes unless the file is shared. */
export interface OpenFile {
  readonly database: DatabaseSyncInstance;
  readonly statements: Statements;
  readonly lock: FileLock | undefined;
  readonly busyMs: number;
  /** True if the file was small enough to be checked for damage before it is used. */
  readonly isChecked: boolean;
}

/** Maximum time that a commit to a shared file waits for another process. The wait blocks this process. */
const BUSY_MS = 5_000;
/** Maximum time that a commit waits if the file is not shared. A backup or a shell may lock the file for a moment. */
const BUSY_ALONE_MS = 1_000;

/** Opens a database file, and creates its directory if necessary. Throws {@link SetupError}. */
export function openFile({ file, maxBytes, isShared, checkedBytes }: OpenFileOptions): OpenFile {
  makeDirectory(path.dirname(file));
  const lock = isShared ? undefined : lockFile(file);
  let database: DatabaseSyncInstance | undefined;
  try {
    const isChecked = sizeOf(file) <= checkedBytes;
    const busyMs = isShared ? BUSY_MS : BUSY_ALONE_MS;
    database = openDatabase({ file, maxBytes, shouldCheckPages: isChecked, busyMs });
    makePrivate(file);
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
    throw new SetupError(`${directory} cannot be created: ${message}; choose another DT_DATA_DIR`, {
      cause,
    });
  }
}

function sizeOf(file: string): number {
  return existsSync(file) ? statSync(file).size : 0;
}

// Makes the files readable for their user only, because conversations are private. Files that SQLite creates later get
// the mode of the database.
function makePrivate(file: string): void {
  for (const each of [file, `${file}-wal`, `${file}-shm`, `${file}.lock`]) {
    if (existsSync(each)) chmodSync(each, 0o600);
  }
}
