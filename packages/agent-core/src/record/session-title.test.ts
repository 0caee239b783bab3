import { expect, test } from "vitest";
import { titleOf } from "./session-title.js";

const text = (value: string) => [{ type: "text" as const, text: value }];

test.each([
  ["a short prompt", "fix the parser", "fix the parser"],
  ["the first line of the prompt", "\n  fix   the\tparser \nand the tests", "fix the parser"],
  ["a long prompt, cut at a word", `${"word ".repeat(40)}`, `${"word ".repeat(15)}word…`],
  ["a long word, cut anywhere", "x".repeat(100), `${"x".repeat(79)}…`],
  ["a long prompt, cut after a whole emoji", `x${"😀".repeat(60)}`, `x${"😀".repeat(39)}…`],
])("the title of a session is %s", (_, prompt, title) => {
  expect(titleOf(text(prompt))).toBe(title);
});

test.each([
  ["white space", text(" \n ")],
  ["a file", [{ type: "file" as const, uri: "file:///a.png" }]],
])("a prompt that is only %s gives no title", (_, parts) => {
  expect(titleOf(parts)).toBeUndefined();
});
