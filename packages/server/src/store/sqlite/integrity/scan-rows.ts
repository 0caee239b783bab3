import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { damagedSession, type StoreFault } from "../../store-fault.js";
import { toPush } from "../pushes/push-rows.js";
import { type Row, toJournal, toLogEvent, toReceipt, toSession, toTask } from "../rows.js";
import { TASK_COLUMNS } from "../statements.js";

/** Number of rows in a slice. Reading them takes a few milliseconds. */
const SLICE_ROWS = 500;

interface Table {
  readonly name: string;
  readonly key: readonly string[];
  readonly columns: string;
  /** Throws if a row is damaged. */
  check(row: Row): unknown;
}

/** Tables whose rows are looked up by key. They are checked first, because a row with a damaged key is not found. */
const KEYED_TABLES: readonly Table[] = [
  { name: "sessions", key: ["context_id"], columns: "*", check: toSession },
  { name: "tasks", key: ["task_id"], columns: TASK_COLUMNS, check: checkTask },
  { name: "receipts", key: ["principal", "message_id"], columns: "*", check: toReceipt },
  { name: "pushes", key: ["task_id", "config_id"], columns: "*", check: toPush },
];

/** Tables whose rows are numbered and read in order. Each read detects a missing row. */
const LISTED_TABLES: readonly Table[] = [
  { name: "journal", key: ["context_id", "number"], columns: "*", check: (row) => toJournal(row) },
  {
    name: "events",
    key: ["context_id", "seq"],
    columns: "*",
    check: ({ context_id, seq, task_id, event, checksum, epoch }) =>
      toLogEvent(String(context_id), [seq, task_id, event, checksum, epoch]),
  },
];

/** Called with the error of each damaged row. */
export type OnDamagedRow = (error: unknown) => void;

/**
 * Checks all rows that are looked up by key. For a table without damaged rows, it throws if an index does not match
 * the table.
 */
export function checkKeys(database: DatabaseSyncInstance, onDamagedRow: OnDamagedRow): void {
  for (const table of KEYED_TABLES) {
    const { name, columns, check } = table;
    let damagedRows = 0;
    const onDamaged = (error: unknown, row: Row) => {
      onDamagedRow(error);
      for (const fault of findAffectedSessions(database, row)) onDamagedRow(fault);
    };
    const rows = database.prepare(`SELECT ${columns} FROM ${name} NOT INDEXED`).iterate();
    for (const row of rows as Iterable<Row>) {
      damagedRows += checkEach([row], check, onDamaged);
    }
    if (damagedRows === 0) checkIndexes(database, name);
    else for (const fault of findUnreachable(database, table)) onDamagedRow(fault);
  }
}

/** Finds the sessions of rows that are intact but cannot be found by key, because the index is damaged. */
function findUnreachable(
  database: DatabaseSyncInstance,
  { name, key }: Table,
): readonly StoreFault[] {
  const conditions = key.map((column) => `${column} = ?`).join(" AND ");
  const find = database.prepare(`SELECT ${key.join(", ")} FROM ${name} WHERE ${conditions}`);
  const rows = database.prepare(`SELECT * FROM ${name} NOT INDEXED`).all() as Row[];
  const isUnreachable = (row: Row) => {
    const found = find.get(...key.map((column) => row[column])) as Row | undefined;
    return key.some((column) => found?.[column] !== row[column]);
  };
  return rows
    .filter(isUnreachable)
    .map((row) => damagedSession(String(row.context_id), `${name}: not found by its key`));
}

function checkIndexes(database: DatabaseSyncInstance, table: string): void {
  const row = database.prepare(`PRAGMA integrity_check(${table})`).get() as Row;
  if (row.integrity_check !== "ok") throw new Error(`malformed: ${String(row.integrity_check)}`);
}

/** Finds the sessions that have events of a damaged row's task. The session id in the row itself may be wrong. */
function findAffectedSessions(database: DatabaseSyncInstance, row: Row): readonly StoreFault[] {
  if (row.task_id === undefined) return [];
  const owners = database.prepare("SELECT DISTINCT context_id AS id FROM events WHERE task_id = ?");
  const rows = owners.all(String(row.task_id)) as Row[];
  return rows.map(({ id }) => damagedSession(String(id), "its task or receipt is damaged"));
}

function checkEach(
  rows: readonly Row[],
  check: Table["check"],
  onDamaged: (error: unknown, row: Row) => void,
): number {
  let damagedRows = 0;
  for (const row of rows) {
    try {
      check(row);
    } catch (error) {
      damagedRows += 1;
      onDamaged(error, row);
    }
  }
  return damagedRows;
}

/** Checks every row of a database in slices. Throws if a page cannot be read. */
export function* scanRows(
  database: DatabaseSyncInstance,
  onDamagedRow: OnDamagedRow,
): Generator<void, void, undefined> {
  for (const { name, key, columns, check } of [...KEYED_TABLES, ...LISTED_TABLES]) {
    const keys = key.join(", ");
    const parameters = key.map(() => "?").join(", ");
    const select = `SELECT ${columns} FROM ${name}`;
    const order = `ORDER BY ${keys} LIMIT ${SLICE_ROWS}`;
    const following = database.prepare(`${select} WHERE (${keys}) > (${parameters}) ${order}`);
    let rows = database.prepare(`${select} ${order}`).all() as Row[];
    while (rows.length > 0) {
      checkEach(rows, check, onDamagedRow);
      yield;
      const last = rows.at(-1) ?? {};
      rows =
        rows.length < SLICE_ROWS
          ? []
          : (following.all(...key.map((column) => last[column])) as Row[]);
    }
  }
}

// Throws if the session of a task is not found: the row of the session is missing, or the key in it is damaged.
function checkTask(row: Row): void {
  const { contextId } = toTask(row);
  if (row.session_created_at === null) throw damagedSession(contextId, "its session is missing");
}
