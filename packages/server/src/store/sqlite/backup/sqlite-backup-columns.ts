import type { BackupTable, BackupValue } from "../../backup/backup-tables.js";
import { type ColumnValue, checksumOf } from "../checksum.js";
import { replaceNul } from "../rows.js";

/** The columns of each table, in the order of a backup. */
export const SQLITE_COLUMNS: Readonly<Record<BackupTable, readonly string[]>> = {
  sessions: [
    "context_id",
    "owner",
    "settings",
    "created_at",
    "last_seq",
    "last_active_at",
    "last_prompt",
    "last_number",
    "epoch",
    "commit_number",
  ],
  events: ["context_id", "seq", "task_id", "event", "epoch"],
  journal: ["context_id", "number", "record"],
  tasks: [
    "task_id",
    "context_id",
    "owner",
    "state",
    "last_seq",
    "first_seq",
    "updated_at",
    "epoch",
    "dialect",
  ],
  receipts: ["principal", "message_id", "context_id", "task_id", "turn", "after_seq", "digest"],
  pushes: [
    "task_id",
    "config_id",
    "context_id",
    "revision",
    "target",
    "after_seq",
    "is_task_due",
    "attempts",
    "failures",
    "next_attempt_at",
    "last_error",
    "has_given_up",
  ],
  grants: [
    "id",
    "context_id",
    "user",
    "role",
    "digest",
    "link_id",
    "created_at",
    "expires_at",
    "revoked_at",
  ],
  tokens: [
    "id",
    "user",
    "name",
    "role",
    "tier",
    "digest",
    "created_at",
    "expires_at",
    "revoked_at",
    "last_used_at",
  ],
  budgets: ["account", "tokens", "nanos"],
  reservations: ["id", "accounts", "tokens", "nanos", "created_at"],
  audit: [
    "id",
    "kind",
    "user",
    "name",
    "address",
    "subject",
    "detail",
    "first_at",
    "last_at",
    "count",
  ],
};

/** The columns that contain an empty string if a value is absent. */
const EMPTY_IF_ABSENT: ReadonlySet<string> = new Set([
  "last_prompt",
  "dialect",
  "receipts.digest",
  "tier",
  "expires_at",
  "revoked_at",
  "last_used_at",
  "audit.user",
  "audit.name",
  "address",
  "subject",
  "detail",
]);
const FLAGS: ReadonlySet<string> = new Set(["is_task_due", "has_given_up"]);

const isEmptyIfAbsent = (table: BackupTable, column: string) =>
  EMPTY_IF_ABSENT.has(column) || EMPTY_IF_ABSENT.has(`${table}.${column}`);

/** Converts the values of a row of the database to the values of a backup. */
export function toBackupValues(
  table: BackupTable,
  row: readonly ColumnValue[],
): readonly BackupValue[] {
  return row.map((value, index) => {
    const column = SQLITE_COLUMNS[table][index] ?? "";
    if (FLAGS.has(column)) return value === 1;
    return value === "" && isEmptyIfAbsent(table, column) ? null : value;
  });
}

/** Inverse of {@link toBackupValues}. */
export function fromBackupValues(
  table: BackupTable,
  values: readonly BackupValue[],
): readonly ColumnValue[] {
  return values.map((value, index) => {
    const column = SQLITE_COLUMNS[table][index] ?? "";
    if (typeof value === "boolean") return value ? 1 : 0;
    if (value === null) return isEmptyIfAbsent(table, column) ? "" : null;
    return typeof value === "string" ? replaceNul(value) : value;
  });
}

/** Maximum number of columns at the end of a row that a checksum leaves out if they have no value. */
const OPTIONAL_COLUMNS: Readonly<Partial<Record<BackupTable, number>>> = {
  events: 1,
  tasks: 2,
  receipts: 1,
};

/** Computes the checksum of a row as the rest of the store does. */
export function checksumOfRow(table: BackupTable, row: readonly ColumnValue[]): number {
  let end = row.length;
  if (table === "sessions" && row[end - 1] === 0 && row[end - 2] === 0) end -= 2;
  const least = row.length - (OPTIONAL_COLUMNS[table] ?? 0);
  while (end > least && (row[end - 1] === "" || row[end - 1] === 0)) end -= 1;
  return checksumOf(table, row.slice(0, end));
}

/** Returns true if the rows of a table have a checksum. */
export function hasChecksum(table: BackupTable): boolean {
  return table !== "reservations";
}
