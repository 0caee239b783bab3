import fc from "fast-check";
import { expect, test } from "vitest";
import { cutLine } from "./cut-line.js";
import { line, plainText, span } from "./span.js";
import { cutToWidth, textWidth } from "./text-width.js";
import { wrapLine } from "./wrap-line.js";

const wrap = (text: string, width: number) => wrapLine(line(text), { width }).map(plainText);

test.each([
  ["", 5, [""]],
  ["one two", 10, ["one two"]],
  ["one two", 5, ["one", "two"]],
  ["one   two", 5, ["one", "two"]],
  ["  indented", 20, ["  indented"]],
  ["abcdefgh", 3, ["abc", "def", "gh"]],
  ["a bcdefgh", 4, ["a bc", "defg", "h"]],
  ["漢字漢字", 4, ["漢字", "漢字"]],
  ["漢", 1, ["漢"]],
])("the text %j is wrapped to a width of %i columns", (text, width, lines) => {
  expect(wrap(text, width)).toEqual(lines);
});

test("the first line and the other lines have different prefixes and keep their styles", () => {
  const spans = [span("bold text", { isBold: true }), span(" plain")];

  const lines = wrapLine(spans, { width: 8, first: [span("> ")], rest: [span("  ")] });

  expect(lines.map(plainText)).toEqual(["> bold", "  text", "  plain"]);
  expect(lines[1]).toEqual([span("  "), span("text", { isBold: true })]);
});

test("every wrapped line fits the screen, and no word is lost", () => {
  const word = fc.stringMatching(/^[a-zä漢😀]{1,12}$/u);
  fc.assert(
    fc.property(
      fc.array(word, { maxLength: 20 }),
      fc.integer({ min: 2, max: 30 }),
      (words, width) => {
        const lines = wrap(words.join(" "), width);
        expect(Math.max(...lines.map(textWidth))).toBeLessThanOrEqual(width);
        expect(lines.join("").replaceAll(" ", "")).toBe(words.join(""));
      },
    ),
  );
});

test.each([
  ["short", 10, "short"],
  ["exactly", 7, "exactly"],
  ["too long", 4, "too…"],
  ["漢字漢字", 5, "漢字…"],
  ["x", 0, ""],
])("the text %j is cut to a width of %i columns", (text, width, cut) => {
  expect(cutToWidth(text, width)).toBe(cut);
});

test("a line of several styles is cut at the width of the screen", () => {
  const spans = [span("one "), span("two", { isBold: true }), span(" three")];

  expect(cutLine(spans, 20)).toBe(spans);
  expect(cutLine(spans, 6)).toEqual([span("one "), span("t…", { isBold: true })]);
  expect(plainText(cutLine(spans, 4))).toBe("one ");
});
