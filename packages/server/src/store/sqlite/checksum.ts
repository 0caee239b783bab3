import { crc32 } from "node:zlib";
import { damagedSession } from "../store-fault.js";

/** A value of a column. */
export type ColumnValue = string | number | null;

/**
 * The checksum of a row. It covers the table, the key and all other columns, so that a row that was
 * moved, or that took another's place, is noticed too. It finds damage; it is no protection against
 * someone who changes the file on purpose.
 */
export function checksumOf(table: string, columns: readonly ColumnValue[]): number {
  let sum = crc32(table);
  // Short columns are joined, because each call of crc32 costs more than its bytes.
  let joined = "";
  for (const column of columns) {
    if (typeof column === "string" && column.length > 256) {
      sum = crc32(column, crc32(`${joined}\0t`, sum));
      joined = "";
    } else {
      joined += `\0${column === null ? "n" : `v${column}`}`;
    }
  }
  return joined === "" ? sum : crc32(joined, sum);
}

/** The columns of a row as they are written: the checksum comes last. */
export function withChecksum(table: string, columns: readonly ColumnValue[]): ColumnValue[] {
  return [...columns, checksumOf(table, columns)];
}

/** A row, as far as its checksum is concerned. */
export interface CheckedRow {
  readonly table: string;
  readonly contextId: string;
  /** Which row of the table, for messages. */
  readonly key: ColumnValue;
  readonly columns: readonly ColumnValue[];
  /** As it is stored; null in rows that were written before there were checksums. */
  readonly checksum: unknown;
}

/** Throws a StoreFault that names the session if a row is not what was written. */
export function checkRow({ table, contextId, key, columns, checksum }: CheckedRow): void {
  if (checksum === null || checksum === checksumOf(table, columns)) return;
  throw damagedSession(contextId, `${table} ${key}: wrong checksum`);
}

/** Reads the JSON of a row; throws a StoreFault that names the session if it is none. */
export function parseColumn<TValue>(text: unknown, row: Omit<CheckedRow, "columns" | "checksum">) {
  try {
    return JSON.parse(String(text)) as TValue;
  } catch (cause) {
    throw damagedSession(row.contextId, `${row.table} ${row.key}: not JSON`, cause);
  }
}
