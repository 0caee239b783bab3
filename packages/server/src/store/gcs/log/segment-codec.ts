import type { StoreRecord } from "./store-record.js";

/** Version of the format of segments. */
const FORMAT = 1;

/** A segment: one object of the log, with the records of one flush. */
export interface LogSegment {
  /** Number of the segment; the first is 1, and there are no gaps. */
  readonly number: number;
  /** The process that wrote the segment. */
  readonly owner: string;
  /** Empty if a new owner wrote the segment to end the log of the previous owner. */
  readonly records: readonly StoreRecord[];
}

/** Folder of the log. */
export const LOG_FOLDER = "log/";

/** Returns the name of a segment. Names are sorted by number. */
export function segmentName(number: number): string {
  return `${LOG_FOLDER}${String(number).padStart(12, "0")}.jsonl`;
}

/** Inverse of {@link segmentName}; undefined for other names. */
export function segmentNumberOf(name: string): number | undefined {
  const [, digits] = /^log\/(\d{12})\.jsonl$/.exec(name) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** Encodes a segment as lines of JSON: a header, and one line for each record. */
export function encodeSegment({ number, owner, records }: LogSegment): string {
  const header = { format: FORMAT, number, owner, records: records.length };
  return `${[header, ...records].map((line) => JSON.stringify(line)).join("\n")}\n`;
}

/** Inverse of {@link encodeSegment}. Throws if the text is incomplete, or written by a newer version. */
export function decodeSegment(name: string, text: string): LogSegment {
  const [first = "", ...lines] = text.split("\n").slice(0, -1);
  const { format, number, owner, records } = JSON.parse(first || "{}") as Partial<
    Omit<LogSegment, "records"> & { readonly format: number; readonly records: number }
  >;
  if (typeof format === "number" && format > FORMAT) {
    throw new Error(`${name} was written by a newer dt; start that version`);
  }
  if (number === undefined || owner === undefined || lines.length !== records) {
    throw new Error(`${name} is damaged`);
  }
  return { number, owner, records: lines.map((line) => JSON.parse(line) as StoreRecord) };
}
