import { crc32 } from "node:zlib";
import { damagedSession } from "../store-fault.js";

/** A value of a column. */
export type ColumnValue = string | number | null;

/**
 * Computes the checksum of a row over the name of its table and all columns, which include the key. It
 * detects damage and misplaced rows. It does not protect against an attacker who can write the file.
 */
export function checksumOf(table: string, columns: readonly ColumnValue[]): number {
  let sum = crc32(table);
  // Short columns are joined, because one call of crc32 is faster than a call for each column.
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

/** Adds the checksum of a row as its last column. */
export function withChecksum(table: string, columns: readonly ColumnValue[]): ColumnValue[] {
  return [...columns, checksumOf(table, columns)];
}

/** A row and its checksum. */
export interface CheckedRow {
  readonly table: string;
  readonly contextId: string;
  /** Key of the row, for messages. */
  readonly key: ColumnValue;
  readonly columns: readonly ColumnValue[];
  /** The stored checksum; null in rows of an older dt without checksums. */
  readonly checksum: unknown;
}

/** Throws a StoreFault that names the session if a row does not match its checksum. */
export function checkRow({ table, contextId, key, columns, checksum }: CheckedRow): void {
  if (checksum === null || checksum === checksumOf(table, columns)) return;
  throw damagedSession(contextId, `${table} ${key}: wrong checksum`);
}

/** Parses the JSON of a row. Throws a StoreFault that names the session if the JSON is invalid. */
export function parseColumn<TValue>(text: unknown, row: Omit<CheckedRow, "columns" | "checksum">) {
  try {
    return JSON.parse(String(text)) as TValue;
  } catch (cause) {
    throw damagedSession(row.contextId, `${row.table} ${row.key}: not JSON`, cause);
  }
}
