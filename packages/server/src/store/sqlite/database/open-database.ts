import { SetupError } from "@dt/schema";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { MIGRATIONS } from "./schema.js";

/** Options of {@link openDatabase}. */
export interface OpenDatabaseOptions {
  readonly file: string;
  readonly maxBytes: number | undefined;
  /** Time to wait for another process that writes. */
  readonly busyMs: number;
  /** True if all pages must be checked first. */
  readonly shouldCheckPages: boolean;
}

/** Opens a database and migrates it. Throws for a damaged or foreign file, and leaves the file unchanged. */
export function openDatabase(options: OpenDatabaseOptions): DatabaseSyncInstance {
  const { file, maxBytes, busyMs, shouldCheckPages } = options;
  let database: DatabaseSyncInstance | undefined;
  try {
    database = new DatabaseSync(file, { timeout: busyMs });
    const version = readNumber(database, "PRAGMA user_version");
    if (version > MIGRATIONS.length) {
      throw new SetupError(
        `${file} was written by a newer dt; update dt, or choose another DT_DATA_DIR`,
      );
    }
    checkOurs(database, file, version);
    if (version > 0 && shouldCheckPages) checkPages(database);
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

/** The application id in every database file of dt: "dtss" in ASCII. */
const APPLICATION_ID = 0x64747373;

// Refuses the files of other programs. The first versions of dt wrote no application id, so a file without an
// id is recognised by its tables.
function checkOurs(database: DatabaseSyncInstance, file: string, version: number): void {
  const applicationId = readNumber(database, "PRAGMA application_id");
  const tables = readNumber(database, "SELECT count(*) FROM sqlite_schema");
  const ours =
    "SELECT count(*) FROM sqlite_schema WHERE name IN ('sessions', 'journal', 'receipts')";
  if (applicationId === APPLICATION_ID || (applicationId === 0 && version === 0 && tables === 0))
    return;
  if (applicationId === 0 && version > 0 && readNumber(database, ours) === 3) return;
  throw new SetupError(
    `${file} is the database of another program and was not changed; choose another DT_DATA_DIR`,
  );
}

// Throws if a page is damaged. Damage inside a row is left to the checksums, which also find its session.
function checkPages(database: DatabaseSyncInstance): void {
  const rows = database.prepare("PRAGMA quick_check").all() as { quick_check?: unknown }[];
  const faults = rows.map((row) => String(row.quick_check));
  const fault = faults.find((text) => text !== "ok" && !/^(non-\w+|NULL|\w+) value in /.test(text));
  if (fault !== undefined) throw new Error(`malformed: ${fault}`);
}

function migrate(database: DatabaseSyncInstance): void {
  if (readNumber(database, "PRAGMA user_version") === MIGRATIONS.length) return;
  database.exec("BEGIN IMMEDIATE");
  try {
    // Another process may have migrated the file while this process waited for the lock.
    const version = readNumber(database, "PRAGMA user_version");
    for (const migration of MIGRATIONS.slice(version)) database.exec(migration);
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    database.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
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

function readNumber(database: DatabaseSyncInstance, sql: string): number {
  return Number(Object.values(database.prepare(sql).get() as object)[0]);
}

/** Converts an error to a SetupError, whose message is one line for the operator. */
export function toSetupError(file: string, cause: unknown): Error {
  if (cause instanceof SetupError) return cause;
  // SQLite lists problems on several lines, which are joined here.
  const message = (cause instanceof Error ? cause.message : String(cause)).replace(/\s+/g, " ");
  if (/not a database|malformed/i.test(message)) {
    return new SetupError(
      `${file} is damaged (${message}) and was not changed; restore a backup, or choose another DT_DATA_DIR`,
      { cause },
    );
  }
  return new SetupError(`${file} cannot be opened: ${message}; choose another DT_DATA_DIR`, {
    cause,
  });
}
