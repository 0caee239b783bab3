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
])("after the old text %j, the replacement %j becomes %j", (oldText, replacement, written) => {
  expect(keepLineEndings(oldText, replacement)).toBe(written);
});

test("the text of a new file stays unchanged", () => {
  expect(keepLineEndings(undefined, "x\ny\n")).toBe("x\ny\n");
});
