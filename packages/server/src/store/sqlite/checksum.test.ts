import { expect, test } from "vitest";
import { StoreFault } from "../store-fault.js";
import { type ColumnValue, checkRow, checksumOf, parseColumn, withChecksum } from "./checksum.js";

const long = "x".repeat(300);
const row: readonly ColumnValue[] = ["context", 7, null, long, "", `${long}y`, "end"];

test("the checksum of a row depends on its table and on each of its columns [LOG-06]", () => {
  const rows: readonly (readonly ColumnValue[])[] = [
    row,
    ...row.map((_, index) => row.with(index, "other")),
    ...row.map((_, index) => row.toSpliced(index, 1)),
    row.with(1, 8),
    row.with(2, "n"),
    row.with(2, ""),
    row.with(3, `${"x".repeat(150)}z${"x".repeat(149)}`),
    row.with(5, `${long}z`),
    ["context", 7, null, `${long}y`, "", long, "end"],
    ["x".repeat(256)],
    ["x".repeat(257)],
    [],
  ];
  const sums = [...rows.map((columns) => checksumOf("events", columns)), checksumOf("tasks", row)];

  expect(new Set(sums).size).toBe(sums.length);
  expect(checksumOf("events", [...row])).toBe(sums[0]);
});

test("a changed row is refused, and the error names its session and its key [LOG-06]", () => {
  const [, ...rest] = withChecksum("events", row);
  const checksum = rest.at(-1);
  const about = { table: "events", contextId: "context", key: 7 };
  const refusal = (what: string) =>
    new StoreFault(
      "session-damaged",
      `the session context is damaged (events 7: ${what}) and was closed; other sessions are not affected`,
      { contextId: "context" },
    );

  expect(rest.slice(0, -1)).toEqual(row.slice(1));
  expect(() => checkRow({ ...about, columns: row, checksum })).not.toThrow();
  expect(() => checkRow({ ...about, columns: row.with(0, "other"), checksum: null })).not.toThrow();
  expect(() => checkRow({ ...about, columns: row.with(0, "other"), checksum })).toThrow(
    refusal("wrong checksum"),
  );
  expect(parseColumn('{"a":1}', about)).toEqual({ a: 1 });
  expect(() => parseColumn("{", about)).toThrow(refusal("not JSON"));
});

test("checksums are always computed in the same way, because the files of users have them [LOG-06]", () => {
  const columns = [
    ["context", 7, null, "text"],
    ["x".repeat(256), 1],
    ["x".repeat(257), 1],
    ["a", "é".repeat(300), "b", "y".repeat(257)],
  ];

  expect(columns.map((each) => checksumOf("events", each))).toEqual([
    776562149, 1875598182, 445176742, 2566850588,
  ]);
});
