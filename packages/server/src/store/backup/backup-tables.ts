/**
 * The tables of a backup, with their columns in order. A file names the columns too, so that a later version can read it
 * after a column was added. Saved views, leases and waiting requests are not part of a backup.
 */
export const BACKUP_TABLES = {
  sessions: [
    "contextId",
    "owner",
    "settings",
    "createdAt",
    "lastPosition",
    "lastActiveAt",
    "lastPrompt",
    "lastNumber",
    "epoch",
    "commitNumber",
  ],
  events: ["contextId", "position", "taskId", "event", "epoch"],
  journal: ["contextId", "number", "record"],
  tasks: [
    "taskId",
    "contextId",
    "owner",
    "state",
    "lastPosition",
    "firstPosition",
    "updatedAt",
    "epoch",
    "dialect",
  ],
  receipts: ["user", "messageId", "contextId", "taskId", "turn", "afterPosition", "digest"],
  pushes: [
    "taskId",
    "configId",
    "contextId",
    "revision",
    "target",
    "after",
    "isTaskDue",
    "attempts",
    "failures",
    "nextAttemptAt",
    "lastError",
    "hasGivenUp",
  ],
  grants: [
    "id",
    "contextId",
    "user",
    "role",
    "digest",
    "linkId",
    "createdAt",
    "expiresAt",
    "revokedAt",
  ],
  tokens: [
    "id",
    "user",
    "name",
    "role",
    "tier",
    "digest",
    "createdAt",
    "expiresAt",
    "revokedAt",
    "lastUsedAt",
  ],
  budgets: ["account", "tokens", "nanos"],
  reservations: ["id", "accounts", "tokens", "nanos", "createdAt"],
  audit: [
    "id",
    "kind",
    "user",
    "name",
    "address",
    "subject",
    "detail",
    "firstAt",
    "lastAt",
    "count",
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** Name of a table of a backup. */
export type BackupTable = keyof typeof BACKUP_TABLES;

/** Value of a column. A JSON column is a string, exactly as it is stored. A value that is absent is null. */
export type BackupValue = string | number | boolean | null;

/** One row of a backup. */
export interface BackupRow {
  readonly table: BackupTable;
  /** The values in the order of {@link BACKUP_TABLES}. */
  readonly values: readonly BackupValue[];
}

/** The content of a store, for backups. */
export interface BackupStore {
  /** Reads everything as it is at one moment, while other processes may write. */
  read(): AsyncGenerator<BackupRow>;
  /**
   * Stores all rows, or none if it rejects. Refuses a store that is in use. Also refuses a store that is not empty,
   * unless `replaces` is true.
   */
  restore(rows: AsyncIterable<BackupRow>, options: { readonly replaces: boolean }): Promise<void>;
  close(): Promise<void>;
}

/** The tables in the order of a backup. */
export const BACKUP_TABLE_NAMES = Object.keys(BACKUP_TABLES) as readonly BackupTable[];

/** Distance between the epochs before and after a restore. Cursors of events that were lost are then refused. */
const EPOCH_DISTANCE = 1_000;

const EPOCH_COLUMN = BACKUP_TABLES.sessions.indexOf("epoch");

/**
 * Raises the epoch of a session, so that new events differ in their epoch from the events that the restore
 * has lost.
 */
export function toRestoredRow({ table, values }: BackupRow): BackupRow {
  if (table !== "sessions") return { table, values };
  return {
    table,
    values: values.with(EPOCH_COLUMN, Number(values[EPOCH_COLUMN]) + EPOCH_DISTANCE),
  };
}
