import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { SetupError } from "../../../errors/setup-error.js";
import { migrations } from "./schema.js";

/** How a database is opened. */
export interface OpenDatabaseOptions {
  readonly file: string;
  readonly maxBytes: number | undefined;
  /** How long to wait for another process that is writing. */
  readonly busyMs: number;
  /** Whether all of it is looked through first. */
  readonly isChecked: boolean;
}

/** Opens a database and brings it up to date; a damaged or foreign one is reported, not changed. */
export function openDatabase(options: OpenDatabaseOptions): DatabaseSyncInstance {
  const { file, maxBytes, busyMs, isChecked } = options;
  let database: DatabaseSyncInstance | undefined;
  try {
    database = new DatabaseSync(file, { timeout: busyMs });
    const version = readNumber(database, "PRAGMA user_version");
    if (version > migrations.length) {
      throw new SetupError(`${file} was written by a newer dt; this one cannot read it`);
    }
    checkOurs(database, file, version);
    if (version > 0 && isChecked) checkPages(database);
    database.exec("PRAGMA journal_mode = WAL");
    database.exec("PRAGMA synchronous = NORMAL");
    migrate(database);
    if (maxBytes !== undefined) limitSize(database, maxBytes);
    return database;
  } catch (cause) {
    database?.close();
    throw toSetupError(file, cause);
  }
}

/** "dtss" in bytes: whose file it is. */
const APPLICATION_ID = 0x64747373;

// A file of someone else's is neither written to nor read. Ours had no mark at first.
function checkOurs(database: DatabaseSyncInstance, file: string, version: number): void {
  const mark = readNumber(database, "PRAGMA application_id");
  const tables = readNumber(database, "SELECT count(*) FROM sqlite_schema");
  const ours =
    "SELECT count(*) FROM sqlite_schema WHERE name IN ('sessions', 'journal', 'receipts')";
  if (mark === APPLICATION_ID || (mark === 0 && version === 0 && tables === 0)) return;
  if (mark === 0 && version > 0 && readNumber(database, ours) === 3) return;
  throw new SetupError(`${file} is another program's database; it was left as it is`);
}

// What is wrong inside a row is left to the checksums, which know whose row it is.
function checkPages(database: DatabaseSyncInstance): void {
  const rows = database.prepare("PRAGMA quick_check").all() as { quick_check?: unknown }[];
  const faults = rows.map((row) => String(row.quick_check));
  const fault = faults.find((text) => text !== "ok" && !/^(non-\w+|NULL|\w+) value in /.test(text));
  if (fault !== undefined) throw new Error(`malformed: ${fault}`);
}

function migrate(database: DatabaseSyncInstance): void {
  if (readNumber(database, "PRAGMA user_version") === migrations.length) return;
  database.exec("BEGIN IMMEDIATE");
  try {
    // Another process may have done it while this one waited.
    const version = readNumber(database, "PRAGMA user_version");
    for (const migration of migrations.slice(version)) database.exec(migration);
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    database.exec(`PRAGMA user_version = ${migrations.length}`);
    database.exec("COMMIT");
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

function limitSize(database: DatabaseSyncInstance, maxBytes: number): void {
  const pages = Math.floor(maxBytes / readNumber(database, "PRAGMA page_size"));
  database.exec(`PRAGMA max_page_count = ${pages}`);
}

function readNumber(database: DatabaseSyncInstance, pragma: string): number {
  return Number(Object.values(database.prepare(pragma).get() as object)[0]);
}

/** What the operator is told, in one line. */
export function toSetupError(file: string, cause: unknown): Error {
  if (cause instanceof SetupError) return cause;
  // SQLite lists what is wrong line by line.
  const message = (cause instanceof Error ? cause.message : String(cause)).replace(/\s+/g, " ");
  if (/not a database|malformed/i.test(message)) {
    return new SetupError(`${file} is damaged (${message}); it was left as it is`, { cause });
  }
  return new SetupError(`${file} cannot be opened: ${message}; choose another DT_DATA_DIR`, {
    cause,
  });
}
