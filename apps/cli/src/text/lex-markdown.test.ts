import fc from "fast-check";
import { expect, test } from "vitest";
import { lexMarkdown } from "./lex-markdown.js";
import { markdownLines } from "./markdown-lines.js";
import { pieceLines } from "./piece-lines.js";
import { plainText } from "./span.js";
import { EMPTY_SPLIT, restOfText } from "./split-markdown.js";

const shown = (text: string, width = 80) => markdownLines(text, width).map(plainText).join("");

test.each([
  ["quotes in quotes", "> ".repeat(2_000)],
  ["quotes without spaces", ">".repeat(4_000)],
  ["lists in lists", "1. ".repeat(1_400)],
  ["emphasis signs that never close", "*a_".repeat(2_000)],
  ["links that never close", `${"[a](b ".repeat(1_000)})`],
  ["comments that never close", `a ${"<!--".repeat(2_000)}`],
  ["strikethroughs that never close", "~a ".repeat(2_000)],
])("text with %s costs too much to parse and is shown as source [SEC-09]", (_, text) => {
  expect(lexMarkdown(text)).toBeUndefined();
  expect(shown(text).replace(/\s/g, "")).toBe(text.replace(/\s/g, ""));
});

test("a table with too many columns is read as a paragraph [SEC-09]", () => {
  const text = `${"|a".repeat(100)}|\n${"|-".repeat(100)}|\n|b|\n`;

  expect(lexMarkdown(text)?.map(({ type }) => type)).toEqual(["paragraph"]);
});

test("long prose, a long table and nested lists stay within the budget", () => {
  const paragraph = "See **the [guide](http://a.b/c)**, `code` and _words_ in one sentence. ";
  const table = `| a | b |\n|---|---|\n${"| **x** | [y](z) |\n".repeat(190)}`;
  const lists = "- one `a`\n  - two **b**\n    1. three [c](d)\n".repeat(8);

  for (const text of [paragraph.repeat(50), table, lists]) {
    expect(lexMarkdown(text)).toBeDefined();
  }
});

test("text that is shown as source has its control characters escaped [SEC-09]", () => {
  expect(shown(`${"> ".repeat(500)}\x1b[2J`)).toContain("␛[2J");
});

test("any repeated Markdown signs are drawn, with control characters escaped [SEC-09]", () => {
  const sign = fc.constantFrom(
    ..."*_~`[]()<>&\\#=|!\n漢",
    ...[
      "> ",
      "- ",
      "1. ",
      "* [ ] ",
      "**",
      "~~",
      "![",
      "](",
      "<!--",
      "<a b='",
      "&#",
      "\n\n",
      "  \n",
    ],
    ...["http://", "a@b.", "[a]: ", "|-", "a ", "\t", "\x1b"],
  );
  fc.assert(
    fc.property(fc.array(sign, { minLength: 1, maxLength: 4 }), (signs) => {
      const text = `begin ${signs.join("").repeat(5_000).slice(0, 20_000)} end`;

      const lines = restOfText(text, EMPTY_SPLIT).flatMap((piece) => pieceLines(piece, 80));

      const printed = lines.map(plainText).join("");
      expect([printed.startsWith("begin"), printed.includes("\x1b")]).toEqual([true, false]);
    }),
    { numRuns: 25, seed: 9 },
  );
});
