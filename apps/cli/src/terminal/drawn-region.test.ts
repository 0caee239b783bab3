import { expect, test } from "vitest";
import { eraseLines, linesOf } from "./drawn-region.js";

test("what is drawn are lines, without what only styles them", () => {
  expect(linesOf("\x1b[1mone\x1b[22m\ntwo\n")).toEqual(["one", "two"]);
  expect(linesOf("one\n\n")).toEqual(["one", ""]);
  expect(linesOf("")).toEqual([]);
});

test.each([
  [[], 80, 0],
  [["one", ""], 80, 2],
  [["x".repeat(80)], 80, 1],
  [["x".repeat(81), "y"], 80, 3],
  [["漢".repeat(41)], 80, 2],
])("%j on %i columns is erased line by line, %i of them", (lines, columns, count) => {
  expect(eraseLines(lines, columns)).toBe(`\r\x1b[J${"\x1b[1A\x1b[2K".repeat(count)}`);
});
