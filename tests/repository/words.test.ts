import { describe, expect, test } from "vitest";
import {
  commentsOf,
  findDangling,
  findDuplicateExports,
  findMisnamedConstants,
  isImportable,
  isRiddle,
  isTestFile,
  MAX_TEST_NAME,
  parseTexts,
  readRepository,
  testNamesOf,
} from "../../tooling/metrics/index.mjs";
import { root } from "./repository.js";

const repository = readRepository(root);
const { sources, comments } = repository;

test("fewer than one percent of the comments begin with a question word", () => {
  const riddles = comments
    .filter(isRiddle)
    .map(({ file, line, text }) => `${file}:${line} ${text}`);

  expect(riddles.length, riddles.join("\n")).toBeLessThan(comments.length / 100);
});

test("no exported name is declared in two files", () => {
  expect(findDuplicateExports(sources.filter(isImportable))).toEqual([]);
});

test("comments and documents cite only what is in the repository", () => {
  expect(findDangling(repository)).toEqual([]);
});

test("module constants are written in SCREAMING_CASE", () => {
  const shipped = sources.filter(({ file }) => !isTestFile(file) && !file.endsWith(".d.mts"));

  expect(shipped.flatMap(findMisnamedConstants)).toEqual([]);
});

test("test names have at most 100 characters before their requirement ids", () => {
  const names = sources.filter(({ file }) => isTestFile(file)).flatMap(testNamesOf);

  expect(names.length).toBeGreaterThan(1_000);
  expect(names.filter(({ name }) => name.length > MAX_TEST_NAME)).toEqual([]);
});

describe("the word checks", () => {
  const parse = (texts: Readonly<Record<string, string>>) =>
    parseTexts(new Map(Object.entries(texts)));

  test("comments are found, but not inside strings, templates and regular expressions", () => {
    const text = [
      "// One comment",
      "// on two lines.",
      'const a = "// no"; // Another one.',
      ["const b = `/* no $", "{a /* Inside. */} // no`;"].join(""),
      "const c = /[/*]/; /** A block.\n * It ends. */",
      "// biome-ignore lint/x: a directive",
    ].join("\n");

    expect(parse({ "a.ts": text }).flatMap(commentsOf)).toEqual([
      { file: "a.ts", line: 1, text: "One comment on two lines." },
      { file: "a.ts", line: 3, text: "Another one." },
      { file: "a.ts", line: 4, text: "Inside." },
      { file: "a.ts", line: 5, text: "A block. It ends." },
    ]);
  });

  test.each([
    ["What a caller sends.", true],
    ["Told when it ends.", true],
    ["Whatever fits.", false],
    ["The caller's message.", false],
  ])("isRiddle(%j) returns %s", (text, expected) => {
    expect(isRiddle({ file: "a.ts", line: 1, text })).toBe(expected);
  });

  test("exported names that two files declare are found, and re-exports are ignored", () => {
    const files = parse({
      "a.ts": "export const one = 1; export function two() {} const three = 3; export { three };",
      "b.ts": 'export { one } from "./a.js"; export interface three {} function two() {}',
    });

    expect(findDuplicateExports(files)).toEqual([{ name: "three", files: ["a.ts", "b.ts"] }]);
  });

  test("constants in another case are found, but functions and objects are ignored", () => {
    const text = [
      "const limitMs = 10; const LIMIT_MS = 2 * 10;",
      'export const names = new Set(["a"]); const pair = [limitMs, /x/] as const;',
      "const run = () => 1; const created = create(); const cache = new Map(); let count = 0;",
      "function f() { const local = 1; }",
    ].join("\n");

    expect(parse({ "a.ts": text }).flatMap(findMisnamedConstants)).toEqual(
      ["limitMs", "names", "pair"].map((name) => ({ file: "a.ts", name })),
    );
  });

  test("test names are found in every form, without their requirement ids", () => {
    const text = [
      'test("one [LOG-02, SEC-09]", () => {});',
      "test.concurrent.each([1])(`two`, () => {});",
      'it.for([1])("three [LOG-02] [SEC-09]", () => {});',
      'describe("none", () => {}); test.each(["none"]);',
    ].join("\n");

    expect(
      parse({ "a.test.ts": text })
        .flatMap(testNamesOf)
        .map(({ name }) => name),
    ).toEqual(["one", "two", "three"]);
  });

  test.each([
    ["As DESIGN 3.12 says.", ["DESIGN"]],
    ["See `STYLE.md` §5.", ["STYLE.md"]],
    ["Section 3 of the a2a-endpoint-guide, A2A 1.0 §11.6, RFC 6902.", []],
    ["Required by LOG-01 and LOG-99.", ["LOG-99"]],
    ["A CRC-32 in UTF-16.", []],
    ["Beside known.ts and src/known.js, not in other.ts.", ["other.ts"]],
    ["See decision 7 and decision record 8.", ["decision record 8"]],
    [
      "[good](docs/decisions/0007-x.md#a-heading), [bad](docs/decisions/0007-x.md#none)",
      ["docs/decisions/0007-x.md#none"],
    ],
  ])("findDangling() finds the references in %j whose targets are missing", (text, expected) => {
    const found = findDangling({
      comments: [],
      documents: new Map([
        ["README.md", text],
        ["docs/decisions/0007-x.md", "# A heading"],
      ]),
      files: ["README.md", "docs/decisions/0007-x.md", "packages/a/src/known.ts"],
      requirements: new Set(["LOG-01"]),
    });

    expect(found.map(({ reference }) => reference)).toEqual(expected);
  });
});
