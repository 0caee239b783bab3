import { expect, test } from "vitest";
import { takeLines } from "./take-lines.js";

test.each<[string, number, number | undefined, string]>([
  ["a\nb\nc", 1, undefined, "a\nb\nc"],
  ["a\nb\nc", 0, 1, "a\n"],
  ["a\nb\nc", 2, 1, "b\n"],
  ["a\nb\nc", 2, undefined, "b\nc"],
  ["a\nb\nc", 3, 9, "c"],
  ["a\nb\n", 3, 1, ""],
  ["a\nb\nc", 4, 1, ""],
  ["a\n\nc", 2, 1, "\n"],
  ["a\nb", 1, 0, ""],
  ["a\nb", 1, -1, ""],
  ["", 1, 1, ""],
])("of %j, from line %j at most %j lines are %j", (text, line, limit, expected) => {
  expect(takeLines(text, line, limit)).toBe(expected);
});
