import { expect, test } from "vitest";
import { eraseLines, linesAfter } from "./drawn-region.js";

test("what is drawn is the text that was written last; sequences alone change nothing", () => {
  const drawn = linesAfter([], "\x1b[2K\x1b[1A\x1b[G\x1b[1mone\x1b[22m\ntwo\n");

  expect(drawn).toEqual(["one", "two"]);
  expect(linesAfter(drawn, "\x1b[?2026h")).toBe(drawn);
  expect(linesAfter(drawn, "\x1b[3A\x1b[3G\x1b[?25h")).toBe(drawn);
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
