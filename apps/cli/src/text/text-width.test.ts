import { expect, test } from "vitest";
import { graphemesOf, textWidth } from "./text-width.js";

const letters = ["a", "é", "e\u0301", "世", "한", "😀", "👨‍👩‍👧", "🇩🇪", "␛", "…", "क्षि"];

test("a long text has the letters and the width of its parts", () => {
  const text = letters.join("").repeat(500);
  const whole = [...new Intl.Segmenter().segment(text.slice(0, 400))].map(({ segment }) => segment);

  expect(graphemesOf(text).slice(0, 100)).toEqual(whole.slice(0, 100));
  expect(graphemesOf(text)).toHaveLength(letters.length * 500);
  expect(textWidth(text)).toBe(500 * letters.map(textWidth).reduce((sum, width) => sum + width, 0));
});

test("a letter that is longer than any window comes out whole or in parts, and all of it", () => {
  const text = `a${"\u0301".repeat(5_000)}b`;

  expect(graphemesOf(text).join("")).toBe(text);
});
