import { expect, test } from "vitest";
import { countRows, eraseRows, firstRows, linesOf } from "./drawn-region.js";

test("drawn text is split into lines without escape sequences", () => {
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
])("the lines %j on %i columns take %i rows", (lines, columns, count) => {
  expect(countRows(lines, columns)).toBe(count);
});

test("rows are erased one by one, from the last to the first", () => {
  expect(eraseRows(2)).toBe("\r\x1b[J\x1b[1A\x1b[2K\x1b[1A\x1b[2K");
});

test.each([
  [0, []],
  [1, ["one"]],
  [2, ["one", "xxxx"]],
  [3, ["one", "two rows"]],
  [9, ["one", "two rows", ""]],
])("the first %i rows contain the lines %j", (count, lines) => {
  expect(firstRows(["one", "two rows", ""], 4, count)).toEqual(lines);
});
