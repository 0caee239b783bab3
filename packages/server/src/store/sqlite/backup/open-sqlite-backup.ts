import { existsSync } from "node:fs";
import { SetupError } from "@dt/schema";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import {
  BACKUP_TABLE_NAMES,
  type BackupRow,
  type BackupStore,
  type BackupTable,
  toRestoredRow,
} from "../../backup/backup-tables.js";
import type { ColumnValue } from "../checksum.js";
import { toSetupError } from "../database/open-database.js";
import { openFile } from "../database/open-file.js";
import {
  checksumOfRow,
  fromBackupValues,
  hasChecksum,
  SQLITE_COLUMNS,
  toBackupValues,
} from "./sqlite-backup-columns.js";

/** Opens a database file for a backup or a restore. A backup can be made while a server uses the file. */
export function openSqliteBackup({ file }: { readonly file: string }): BackupStore {
  let reading: DatabaseSyncInstance | undefined;

  async function* read(): AsyncGenerator<BackupRow> {
    if (!existsSync(file)) throw new SetupError(`there is no database ${file}; check DT_DATA_DIR`);
    // An older file is migrated first, and a newer or foreign one is refused.
    openFile({ file, isShared: true, checkedBytes: 0 }).database.close();
    const database = new DatabaseSync(file, { readOnly: true });
    reading = database;
    try {
      // All rows are read in one transaction, so changes after its first read do not appear in the backup.
      database.exec("BEGIN");
      for (const table of BACKUP_TABLE_NAMES) yield* readTable(database, table);
    } catch (error) {
      throw toSetupError(file, error);
    } finally {
      reading = undefined;
      database.close();
    }
  }

  return {
    read,
    async restore(rows, { replaces }) {
      // The file is locked for this process, so no server can use it meanwhile.
      const { database, lock } = openFile({ file, isShared: false, checkedBytes: 0 });
      try {
        database.exec("BEGIN IMMEDIATE");
        await writeRows(database, rows, { file, replaces });
        database.exec("COMMIT");
      } catch (error) {
        if (database.isTransaction) database.exec("ROLLBACK");
        throw error;
      } finally {
        database.close();
        lock?.release();
      }
    },
    async close() {
      reading?.close();
    },
  };
}

function* readTable(database: DatabaseSyncInstance, table: BackupTable): Generator<BackupRow> {
  const columns = SQLITE_COLUMNS[table];
  const checked = hasChecksum(table);
  const names = [...columns, ...(checked ? ["checksum"] : [])].map((name) => `"${name}"`);
  const [first, second] = names;
  const order = columns.length > 3 || table === "journal" ? `${first}, ${second}` : first;
  const statement = database.prepare(
    `SELECT ${names.join(", ")} FROM "${table}" ORDER BY ${order}`,
  );
  statement.setReturnArrays(true);
  for (const found of statement.iterate() as Iterable<unknown>) {
    const row = found as readonly ColumnValue[];
    const values = row.slice(0, columns.length);
    const sum = checked ? row[columns.length] : null;
    if (sum !== null && sum !== checksumOfRow(table, values)) {
      throw new SetupError(
        `the row ${values[0]} of the table ${table} is damaged; delete its session, or restore an earlier backup`,
      );
    }
    yield { table, values: toBackupValues(table, values) };
  }
}

async function writeRows(
  database: DatabaseSyncInstance,
  rows: AsyncIterable<BackupRow>,
  { file, replaces }: { readonly file: string; readonly replaces: boolean },
): Promise<void> {
  for (const table of BACKUP_TABLE_NAMES) {
    const found = database.prepare(`SELECT 1 FROM "${table}" LIMIT 1`).get();
    if (found !== undefined && !replaces) {
      throw new SetupError(
        `${file} is not empty; --replace deletes its content before the restore`,
      );
    }
    database.exec(`DELETE FROM "${table}"`);
  }
  database.exec("DELETE FROM views");
  const inserts = new Map(
    BACKUP_TABLE_NAMES.map((table) => [table, prepareInsert(database, table)]),
  );
  for await (const row of rows) {
    const { table, values } = toRestoredRow(row);
    const columns = fromBackupValues(table, values);
    const checksum = hasChecksum(table) ? [checksumOfRow(table, columns)] : [];
    inserts.get(table)?.run(...columns, ...checksum);
  }
}

function prepareInsert(database: DatabaseSyncInstance, table: BackupTable) {
  const names = [...SQLITE_COLUMNS[table], ...(hasChecksum(table) ? ["checksum"] : [])];
  const columns = names.map((name) => `"${name}"`).join(", ");
  return database.prepare(
    `INSERT INTO "${table}" (${columns}) VALUES (${names.map(() => "?").join(", ")})`,
  );
}
