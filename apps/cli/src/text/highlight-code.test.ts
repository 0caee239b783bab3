import { expect, test } from "vitest";
import { findCodeLanguage } from "./code-languages.js";
import { type CodeState, highlightLine } from "./highlight-code.js";
import type { Style } from "./span.js";

const LETTERS = new Map<string, string>([
  [JSON.stringify({ isDim: true }), "c"],
  [JSON.stringify({ colour: "green" }), "s"],
  [JSON.stringify({ colour: "magenta" }), "k"],
  [JSON.stringify({ colour: "yellow" }), "n"],
]);
const letterOf = (style: Style | undefined) => LETTERS.get(JSON.stringify(style)) ?? ".";

/** Replaces each character by the first letter of its kind (comment, string, keyword, number) or by a dot. */
function kinds(language: string, ...lines: readonly string[]): readonly string[] {
  const known = findCodeLanguage(language)!;
  let state: CodeState | undefined;
  return lines.map((code) => {
    const highlighted = highlightLine(code, known, state);
    ({ state } = highlighted);
    return highlighted.line.map(({ text, style }) => letterOf(style).repeat(text.length)).join("");
  });
}

test.each([
  ["ts", ["let x = 10;"], ["kkk.....nn."]],
  ["ts", ["a // b"], ["..cccc"]],
  ["ts", ["'a\\'b' c"], ["ssssss.."]],
  ["ts", ["/* a", "b */ if"], ["cccc", "cccc.kk"]],
  ["ts", ["`a", "b` c"], ["ss", "ss.."]],
  ["ts", ["'open", "if"], ["sssss", "kk"]],
  ["python", ['"""a', 'b""" def'], ["ssss", "ssss.kkk"]],
  ["python", ["# all", "x#y"], ["ccccc", "..."]],
  ["sh", ["echo $# # c"], ["........ccc"]],
  ["json", ['{"a": true}'], [".sss..kkkk."]],
  ["sql", ["select 1 FROM t"], ["kkkkkk.n.kkkk.."]],
  ["yaml", ["a: http://x # c"], ["............ccc"]],
  ["html", ["<!-- a", "--> <b>"], ["cccccc", "ccc...."]],
])(
  "%s code %j is highlighted by comment, string, keyword and number",
  (language, lines, expected) => {
    expect(kinds(language, ...lines)).toEqual(expected);
  },
);

test("a language is found by any of its names, and an unknown name finds no language", () => {
  expect(findCodeLanguage("TypeScript")).toBe(findCodeLanguage("ts"));
  expect(findCodeLanguage("toString")).toBeUndefined();
  expect(findCodeLanguage("")).toBeUndefined();
});
