import { expect, test } from "vitest";
import { eraseLines, linesAfter } from "./drawn-region.js";

test("what is drawn is the text that was written last; sequences alone change nothing", () => {
  const drawn = linesAfter([], "\x1b[2K\x1b[1A\x1b[G\x1b[1mone\x1b[22m\ntwo\n");

  expect(drawn).toEqual(["one", "two"]);
  expect(linesAfter(drawn, "\x1b[?2026h")).toBe(drawn);
  expect(linesAfter(drawn, "\x1b[3A\x1b[3G\x1b[?25h")).toBe(drawn);
});

test.each([
  [[], 80, "\r\x1b[J"],
  [["one", ""], 80, "\x1b[2A\r\x1b[J"],
  [["x".repeat(80)], 80, "\x1b[1A\r\x1b[J"],
  [["x".repeat(81), "y"], 80, "\x1b[3A\r\x1b[J"],
  [["漢".repeat(41)], 80, "\x1b[2A\r\x1b[J"],
])("%j on %i columns is erased by %j", (lines, columns, sequence) => {
  expect(eraseLines(lines, columns)).toBe(sequence);
});
