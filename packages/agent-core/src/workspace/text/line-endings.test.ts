import { expect, test } from "vitest";
import { isCrlf, keepLineEndings } from "./line-endings.js";

test.each([
  ["a\r\nb\r\n", true],
  ["a\r\nb", true],
  ["a\r\nb\n", false],
  ["\na\r\n", false],
  ["a\nb\n", false],
  ["a", false],
  ["", false],
])("isCrlf(%j) is %s", (text, expected) => {
  expect(isCrlf(text)).toBe(expected);
});

test.each([
  ["a\r\nb\r\n", "x\ny\n", "x\r\ny\r\n"],
  ["a\r\nb\r\n", "x\r\ny\n", "x\r\ny\n"],
  ["a\nb\n", "x\ny\n", "x\ny\n"],
  ["a\r\nb\n", "x\ny\n", "x\ny\n"],
])("for the old text %j, keepLineEndings turns %j into %j", (oldText, replacement, written) => {
  expect(keepLineEndings(oldText, replacement)).toBe(written);
});

test("keepLineEndings leaves the text of a new file unchanged", () => {
  expect(keepLineEndings(undefined, "x\ny\n")).toBe("x\ny\n");
});
