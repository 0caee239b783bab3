import { expect, test } from "vitest";
import { markdownLines } from "./markdown-lines.js";
import { plainText } from "./span.js";

const shown = (markdown: string, width = 40) => markdownLines(markdown, width).map(plainText);

test.each([
  ["plain", ["plain"]],
  ["one\ntwo", ["one", "two"]],
  ["one\n\ntwo", ["one", "", "two"]],
  ["# Title\ntext", ["Title", "text"]],
  ["**bold** _em_ `code` ~~gone~~", ["bold em code ~gone~"]],
  ["[label](http://x)", ["label (http://x)"]],
  ["<http://x>", ["http://x"]],
  ["- one\n- two\n  - deep", ["• one", "• two", "  • deep"]],
  ["3. three\n4. four", ["3. three", "4. four"]],
  ["- [x] done\n- [ ] open", ["• [x] done", "• [ ] open"]],
  ["> quoted\n> text", ["│ quoted", "│ text"]],
  ["a\n\n---\n\nb", ["a", "", "─".repeat(40), "", "b"]],
  ["```js\nconst a = 1;\n```", ["  const a = 1;"]],
  ["| a | b |\n|---|---|\n| 1 | 22 |", ["a │ b ", "──┼───", "1 │ 22"]],
  ["&lt;b&gt; <b>html</b>", ["<b> <b>html</b>"]],
  ["esc \x1b[31m here", ["esc ␛[31m here"]],
  ["![alt](pic.png)", ["[image: alt]"]],
])("the Markdown %j is drawn as the lines %j", (markdown, lines) => {
  expect(shown(markdown)).toEqual(lines);
});

test("the wrapped lines of a list item are indented below its text", () => {
  expect(shown("- a long item that wraps", 12)).toEqual(["• a long", "  item that", "  wraps"]);
});

test("table columns are aligned left, centre or right", () => {
  const rows = ["| left | middle | right |", "|:--|:-:|--:|", "| a | b | 漢 |", "| ab | abc | 1 |"];

  expect(shown(rows.join("\n"))).toEqual([
    "left │ middle │ right",
    "─────┼────────┼──────",
    "a    │   b    │    漢",
    "ab   │  abc   │     1",
  ]);
});

test("a table wider than the screen is drawn as one line per cell, with its header", () => {
  expect(shown("| name | what |\n|---|---|\n| one | the first |\n| two | second |", 14)).toEqual([
    "name: one",
    "what: the",
    "first",
    "",
    "name: two",
    "what: second",
  ]);
});

test("a fenced code block is highlighted by its language", () => {
  const [line] = markdownLines("```ts\nconst a = 'b'; // c\n```", 40);

  expect(line?.filter(({ style }) => style !== undefined)).toEqual([
    { text: "const", style: { colour: "magenta" } },
    { text: "'b'", style: { colour: "green" } },
    { text: "// c", style: { isDim: true } },
  ]);
});
