import { expect, test } from "vitest";
import { completeMention, findMention, matchFiles } from "./complete-file.js";
import { textAtEnd } from "./edit-text.js";

test.each([
  ["@", { start: 0, query: "" }],
  ["read @src/a", { start: 5, query: "src/a" }],
  ["(@x", { start: 1, query: "x" }],
])("the mention at the end of %j is found", (text, mention) => {
  expect(findMention(textAtEnd(text))).toEqual(mention);
});

test.each(["me@home", "@a b", ""])("the text %j does not end with a mention", (text) => {
  expect(findMention(textAtEnd(text))).toBeUndefined();
});

test.each([
  ["", ["a.ts", "src/a.ts", "lib/abc.ts", "docs/x.md"]],
  ["a.ts", ["a.ts", "src/a.ts", "lib/abc.ts"]],
  ["ab", ["lib/abc.ts"]],
  ["src", ["src/a.ts"]],
  ["DXM", ["docs/x.md"]],
  ["zzz", []],
])("the query %j finds %j, the best match first", (query, files) => {
  const all = ["docs/x.md", "lib/abc.ts", "src/a.ts", "a.ts"];

  const found = matchFiles(query, all);

  expect(query === "" ? [...found].sort() : found).toEqual(
    query === "" ? [...files].sort() : files,
  );
});

test("at most eight matches are returned, however many files match", () => {
  const many = Array.from({ length: 50_000 }, (_, index) => `dir/file-${index}.ts`);

  expect(matchFiles("file", many)).toHaveLength(8);
  expect(matchFiles("file-49999", many)).toEqual(["dir/file-49999.ts"]);
});

test("a chosen file replaces its mention, with spaces escaped", () => {
  const edit = { text: "read @sr and", cursor: 8 };

  expect(completeMention(edit, { start: 5, query: "sr" }, "src/a b.ts")).toEqual({
    text: "read @src/a\\ b.ts  and",
    cursor: 18,
  });
});
