import { expect, test } from "vitest";
import { diffLines } from "./diff-lines.js";
import { plainText } from "./span.js";

const FILE = { fileName: "a.sql", filePath: "/w/a.sql", newContent: "one\ntwo" };

test("added and removed lines differ by sign and colour, even if they begin with dashes", () => {
  const formattedDiff =
    "--- a.sql\n+++ a.sql\n@@ -1,2 +1,2 @@\n same\n--- a comment\n+\ttwo\x1b[2J\n";

  const lines = diffLines({ ...FILE, formattedDiff }, 40);

  expect(lines.map(plainText)).toEqual([
    "@@ -1,2 +1,2 @@",
    " same",
    "--- a comment",
    "+    two␛[2J",
  ]);
  expect(lines.map(([first]) => first?.style?.colour)).toEqual(["cyan", undefined, "red", "green"]);
});

test("a file change without a diff shows the whole new content as added", () => {
  expect(diffLines(FILE, 40).map(plainText)).toEqual(["+one", "+two"]);
});

test("an empty line of a new file is shown as added, but not the line break at the end of the file", () => {
  const lines = diffLines({ ...FILE, newContent: "one\n\ntwo\n" }, 40).map(plainText);

  expect(lines.slice(0, 3)).toEqual(["+one", "+", "+two"]);
  expect(lines.filter((each) => each.startsWith("+"))).toHaveLength(3);
});

test("a huge diff is cut, and the last line counts the hidden characters [SEC-09]", () => {
  const formattedDiff = `@@ -0,0 +1,1000000 @@\n${"+a\n".repeat(1_000_000)}`;

  const lines = diffLines({ ...FILE, formattedDiff }, 60).map(plainText);

  expect(lines).toHaveLength(5001);
  expect(lines.at(-1)).toBe("… and 2985003 more characters, not shown");
});
