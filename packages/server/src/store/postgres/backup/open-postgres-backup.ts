import { SetupError } from "@dt/schema";
import pg from "pg";
import {
  BACKUP_TABLE_NAMES,
  type BackupRow,
  type BackupStore,
  type BackupTable,
  type BackupValue,
  toRestoredRow,
} from "../../backup/backup-tables.js";
import { migrate } from "../database/migrate.js";
import { type Database, openConnections, type PostgresRow } from "../database/open-connections.js";
import { toRightsError } from "../database/postgres-error.js";
import { parsePostgresAddress } from "../open-postgres-store.js";
import { POSTGRES_COLUMNS } from "./postgres-backup-columns.js";

/** Number of rows that are read or written at once. */
const BATCH_ROWS = 100;
/** Approximate size at which rows are written, so that large events do not fill the memory. */
const BATCH_CHARACTERS = 4 * 1024 * 1024;
/** Longest time for one statement. */
const TIMEOUT_MS = 600_000;
/** Columns of numbers, which the driver returns as strings. */
const NUMBERS = new Set(
  "position last_position first_position after_position last_number number epoch commit_number turn attempts failures tokens nanos count".split(
    " ",
  ),
);
/** Columns that contain an empty string if a value is absent. */
const EMPTY_IF_ABSENT: ReadonlySet<string> = new Set([
  "grants.revoked_at",
  "audit.user_name",
  "audit.name",
  "audit.address",
  "audit.subject",
  "audit.detail",
]);

/** Opens a Postgres database for a backup or a restore. A backup can be made while servers use the database. */
export async function openPostgresBackup({ url }: { readonly url: string }): Promise<BackupStore> {
  const address = parsePostgresAddress(url);
  const { schema } = address;
  const database = await openConnections({
    url: address.url,
    maxConnections: 1,
    timeoutMs: TIMEOUT_MS,
  });
  try {
    await migrate(database, { schema });
  } catch (error) {
    await database.close();
    throw toRightsError(error, { address: database.address, schema });
  }
  return {
    read: () => readAll(address),
    async restore(rows, { replaces }) {
      await database.transact(async (run) => {
        await checkUnused(run, schema, database.address);
        await empty(run, { schema, replaces, address: database.address });
        for await (const batch of batches(rows)) await insert(run, schema, batch);
      });
    },
    close: () => database.close(),
  };
}

/** Reads all tables in one transaction, which sees the database as it was when the transaction began. */
async function* readAll({
  url,
  schema,
}: {
  readonly url: string;
  readonly schema: string;
}): AsyncGenerator<BackupRow> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    for (const table of BACKUP_TABLE_NAMES) {
      const columns = POSTGRES_COLUMNS[table];
      await client.query(
        `DECLARE rows NO SCROLL CURSOR FOR SELECT ${columns.join(", ")} FROM ${schema}.${table} ORDER BY 1, 2`,
      );
      for (;;) {
        const { rows } = await client.query<PostgresRow>(`FETCH ${BATCH_ROWS} FROM rows`);
        for (const row of rows) yield { table, values: toValues(table, row) };
        if (rows.length < BATCH_ROWS) break;
      }
      await client.query("CLOSE rows");
    }
    await client.query("COMMIT");
  } finally {
    await client.end();
  }
}

function toValues(table: BackupTable, row: PostgresRow): readonly BackupValue[] {
  return POSTGRES_COLUMNS[table].map((column) => {
    const value = row[column];
    if (value === null || typeof value === "boolean") return value;
    if (Array.isArray(value)) return JSON.stringify(value);
    if (NUMBERS.has(column)) return Number(value);
    const isAbsent = value === "" && EMPTY_IF_ABSENT.has(`${table}.${column}`);
    return isAbsent ? null : String(value);
  });
}

/** Throws if a server uses the database, and keeps servers from starting until the transaction ends. */
async function checkUnused(
  run: Database["execute"],
  schema: string,
  address: string,
): Promise<void> {
  await run({ text: `LOCK TABLE ${schema}.instances IN EXCLUSIVE MODE` });
  const live = await run({
    text: `SELECT name FROM ${schema}.instances WHERE lease_until > clock_timestamp()`,
  });
  if (live.length === 0) return;
  const names = live.map(({ name }) => String(name)).join(", ");
  throw new SetupError(
    `the database ${address} is in use by ${names}; stop all instances before a restore`,
  );
}

interface EmptyOptions {
  readonly schema: string;
  readonly replaces: boolean;
  readonly address: string;
}

/**
 * Deletes the rows of all tables, including the tables that are not part of a backup. Only the version and the
 * instances stay. Throws if a table of a backup has rows and `replaces` is false.
 */
async function empty(
  run: Database["execute"],
  { schema, replaces, address }: EmptyOptions,
): Promise<void> {
  for (const table of BACKUP_TABLE_NAMES) {
    const found = await run({ text: `SELECT 1 FROM ${schema}.${table} LIMIT 1` });
    if (found.length > 0 && !replaces) {
      throw new SetupError(
        `the database ${address}, schema ${schema}, is not empty; --replace deletes its content before the restore`,
      );
    }
  }
  const tables = await run({
    text: `SELECT tablename FROM pg_tables
      WHERE schemaname = $1 AND tablename NOT IN ('dt_version', 'instances')`,
    values: [schema],
  });
  for (const { tablename } of tables) await run({ text: `DELETE FROM ${schema}.${tablename}` });
}

/** Groups rows that follow each other and belong to the same table. */
async function* batches(
  rows: AsyncIterable<BackupRow>,
): AsyncGenerator<readonly [BackupRow, ...BackupRow[]]> {
  let batch: BackupRow[] = [];
  let characters = 0;
  for await (const row of rows) {
    const [first] = batch;
    const isFull = batch.length >= BATCH_ROWS || characters >= BATCH_CHARACTERS;
    if (first !== undefined && (first.table !== row.table || isFull)) {
      yield [first, ...batch.slice(1)];
      batch = [];
      characters = 0;
    }
    batch.push(toRestoredRow(row));
    for (const value of row.values) characters += typeof value === "string" ? value.length : 0;
  }
  const [first, ...rest] = batch;
  if (first !== undefined) yield [first, ...rest];
}

async function insert(
  run: Database["execute"],
  schema: string,
  batch: readonly [BackupRow, ...BackupRow[]],
): Promise<void> {
  const [{ table }] = batch;
  const rows = batch.map(({ values }) => toColumns(table, values));
  const columns = [...POSTGRES_COLUMNS[table], ...(DERIVED[table]?.columns ?? [])];
  const places = rows.map((row, index) => {
    const first = index * columns.length + 1;
    return `(${row.map((_, column) => `$${first + column}`).join(", ")})`;
  });
  await run({
    text: `INSERT INTO ${schema}.${table} (${columns.join(", ")}) VALUES ${places.join(", ")}`,
    values: rows.flat(),
  });
}

function toColumns(table: BackupTable, values: readonly BackupValue[]): readonly unknown[] {
  const columns = values.map((value, index) => {
    const column = POSTGRES_COLUMNS[table][index];
    if (column === "accounts") return JSON.parse(String(value)) as unknown;
    return value === null && EMPTY_IF_ABSENT.has(`${table}.${column}`) ? "" : value;
  });
  return [...columns, ...(DERIVED[table]?.derive(values) ?? [])];
}

interface Derived {
  readonly columns: readonly string[];
  derive(values: readonly BackupValue[]): readonly unknown[];
}

/** Columns by which queries select rows. Their values are computed from other columns. */
const DERIVED: Readonly<Partial<Record<BackupTable, Derived>>> = {
  sessions: {
    columns: ["workspace_path"],
    derive: ([, , settings]) => [readField(settings, "workspacePath")],
  },
  events: { columns: ["kind"], derive: ([, , , event]) => [readField(event, "kind")] },
};

function readField(json: BackupValue | undefined, field: string): string {
  return String((JSON.parse(String(json)) as Readonly<Record<string, unknown>>)[field] ?? "");
}
