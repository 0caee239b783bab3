import { expect, test } from "vitest";
import { diffLines } from "./diff-lines.js";

const show = (before: string, after: string) =>
  diffLines(before, after).map(
    ({ type, text }) => `${{ same: " ", added: "+", removed: "-" }[type]}${text}`,
  );

test.each([
  ["", "", []],
  ["", "a\n", ["+a"]],
  ["a\n", "", ["-a"]],
  ["a\nb\nc\n", "a\nB\nc\n", [" a", "-b", "+B", " c"]],
  ["a\nb\n", "a\nb\nc\n", [" a", " b", "+c"]],
  ["a\nb\nc\nd\n", "b\nx\nd\n", ["-a", " b", "-c", "+x", " d"]],
  ["a\na\n", "a\n", [" a", "-a"]],
])("diffLines compares %j with %j line by line", (before, after, lines) => {
  expect(show(before, after)).toEqual(lines);
});

test("diffLines returns all lines as removed and added if there are too many to compare", () => {
  const before = Array.from({ length: 2_500 }, (_, index) => `old ${index}`).join("\n");
  const after = Array.from({ length: 2_500 }, (_, index) => `new ${index}`).join("\n");

  const lines = diffLines(before, after);

  expect(lines.filter(({ type }) => type === "removed")).toHaveLength(2_500);
  expect(lines.filter(({ type }) => type === "added")).toHaveLength(2_500);
});
