import { crc32 } from "node:zlib";
import { SetupError } from "@dt/schema";
import {
  BACKUP_TABLES,
  type BackupRow,
  type BackupTable,
  type BackupValue,
} from "./backup-tables.js";

/** Version of the format of a backup. */
const VERSION = 1;
const FORMAT = "dt-backup";

/** Number of rows in each table. */
export type BackupCounts = Readonly<Partial<Record<BackupTable, number>>>;

interface Header {
  readonly format: string;
  readonly version: number;
  readonly createdAt: string;
  readonly tables: Readonly<Record<string, readonly string[]>>;
}

/**
 * Encodes rows as lines of JSON: a header, one line for each row, and an end with the number of rows. Each line ends
 * with a checksum of all lines so far, so that a changed, missing or moved line is noticed.
 */
export async function* encodeBackup(
  rows: AsyncIterable<BackupRow>,
  createdAt: string,
): AsyncGenerator<string> {
  let sum = 0;
  const seal = (line: unknown) => {
    const json = JSON.stringify(line);
    sum = crc32(json, sum);
    return `${json.slice(0, -1)}${json.startsWith("[") ? "," : ',"checksum":'}"${toHex(sum)}"${json.slice(-1)}\n`;
  };
  const counts: Partial<Record<BackupTable, number>> = {};
  yield seal({ format: FORMAT, version: VERSION, createdAt, tables: BACKUP_TABLES });
  for await (const { table, values } of rows) {
    counts[table] = (counts[table] ?? 0) + 1;
    yield seal([table, values]);
  }
  yield seal({ end: true, rows: counts });
}

/** Inverse of {@link encodeBackup}. Throws a SetupError that names the damaged line. */
export async function* decodeBackup(
  lines: AsyncIterable<string>,
  file: string,
): AsyncGenerator<BackupRow> {
  let number = 0;
  let sum = 0;
  let header: Header | undefined;
  let isEnded = false;
  for await (const line of lines) {
    number += 1;
    const [json, stored] = splitChecksum(line);
    sum = crc32(json, sum);
    if (stored !== toHex(sum) || isEnded) throw damagedLine(file, number);
    const value: unknown = JSON.parse(json);
    if (header === undefined) header = checkHeader(value, file);
    else if (Array.isArray(value)) yield toRow(value, header);
    else isEnded = true;
  }
  if (header === undefined) throw new SetupError(`${file} is empty; it is no backup of dt`);
  if (!isEnded) {
    throw new SetupError(
      `${file} is incomplete: it ends after line ${number}; use another backup (nothing was restored)`,
    );
  }
}

/** Splits a line into its JSON without the checksum, and the checksum. */
function splitChecksum(line: string): readonly [json: string, checksum: string | undefined] {
  const match = /(?:,|,"checksum":)"([0-9a-f]{8})"([\]}])$/.exec(line);
  if (match === null) return [line, undefined];
  return [`${line.slice(0, match.index)}${match[2]}`, match[1]];
}

function checkHeader(value: unknown, file: string): Header {
  const header = value as Partial<Header>;
  if (header.format !== FORMAT || header.version === undefined || header.tables === undefined) {
    throw new SetupError(`${file} is no backup of dt`);
  }
  if (header.version > VERSION) {
    throw new SetupError(`${file} was written by a newer dt; restore it with that version`);
  }
  return header as Header;
}

/** Puts the values of a row into the order of this version. A column that the file does not have is null. */
function toRow([table, values]: readonly unknown[], header: Header): BackupRow {
  const known: readonly string[] = BACKUP_TABLES[table as BackupTable] ?? [];
  const columns = header.tables[String(table)] ?? [];
  const ordered = known.map((column) => {
    const index = columns.indexOf(column);
    return index < 0 ? null : ((values as readonly BackupValue[])[index] ?? null);
  });
  return { table: table as BackupTable, values: ordered };
}

function damagedLine(file: string, number: number): SetupError {
  return new SetupError(
    `${file} is damaged in line ${number}; use another backup (nothing was restored)`,
  );
}

function toHex(sum: number): string {
  return (sum >>> 0).toString(16).padStart(8, "0");
}
