import { expect, test } from "vitest";
import { cutText } from "./cut-text.js";

test.each([
  ["", 3, "", false],
  ["abc", 3, "abc", false],
  ["abcd", 3, "abc", true],
  ["aé€", 3, "aé", true],
  ["😀😀", 7, "😀", true],
])("the text %j cut to %i bytes is %j", (text, maxBytes, cut, isTruncated) => {
  expect(cutText(text, maxBytes)).toEqual({ text: cut, isTruncated });
});
