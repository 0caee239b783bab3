import { expect, test } from "vitest";
import { decodeSegment, encodeSegment, segmentName, segmentNumberOf } from "./segment-codec.js";
import type { StoreRecord } from "./store-record.js";

const records: readonly StoreRecord[] = [
  { call: "deleteSession", args: ["a\nb"] },
  { call: "changeOwner", args: ["ada", "bob"] },
];
const segment = { number: 7, owner: "process-1", records };

test("a segment is decoded as it was encoded, with and without records", () => {
  const empty = { ...segment, records: [] };

  expect(decodeSegment("s", encodeSegment(segment))).toEqual(segment);
  expect(decodeSegment("s", encodeSegment(empty))).toEqual(empty);
});

test("the names of segments are sorted by number, and other names have no number", () => {
  const names = [2, 10, 999_999_999_999].map(segmentName);

  expect([...names].sort()).toEqual(names);
  expect(names.map(segmentNumberOf)).toEqual([2, 10, 999_999_999_999]);
  expect(names[0]).toBe("log/000000000002.jsonl");
  for (const name of ["log/2.jsonl", "index/000000000002.jsonl", `${names[0]}.old`]) {
    expect(segmentNumberOf(name)).toBeUndefined();
  }
});

test.each([
  ["is empty", ""],
  ["has no line break at its end", encodeSegment(segment).slice(0, -1)],
  ["lacks a record", `${encodeSegment(segment).split("\n").slice(0, 2).join("\n")}\n`],
  ["has no number", '{"format":1,"owner":"a","records":0}\n'],
  ["has no owner", '{"format":1,"number":1,"records":0}\n'],
])("a segment that %s is damaged", (_, text) => {
  expect(() => decodeSegment("log/1", text)).toThrow("log/1 is damaged");
});

test("a segment of a newer dt is refused, and one of this version is not", () => {
  const newer = '{"format":2,"number":1,"owner":"a","records":0}\n';

  expect(() => decodeSegment("log/1", newer)).toThrow(
    "log/1 was written by a newer dt; start that version",
  );
  expect(decodeSegment("log/1", newer.replace("2", "1")).owner).toBe("a");
});
