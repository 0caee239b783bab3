import { expect, test } from "vitest";
import { graphemesOf, textWidth } from "./text-width.js";

const GRAPHEMES = ["a", "é", "e\u0301", "世", "한", "😀", "👨‍👩‍👧", "🇩🇪", "␛", "…", "क्षि"];

test("a long text is split into its graphemes, and its width is the sum of their widths", () => {
  const text = GRAPHEMES.join("").repeat(500);
  const whole = [...new Intl.Segmenter().segment(text.slice(0, 400))].map(({ segment }) => segment);

  expect(graphemesOf(text).slice(0, 100)).toEqual(whole.slice(0, 100));
  expect(graphemesOf(text)).toHaveLength(GRAPHEMES.length * 500);
  expect(textWidth(text)).toBe(
    500 * GRAPHEMES.map(textWidth).reduce((sum, width) => sum + width, 0),
  );
});

test("a grapheme longer than the segmentation window is returned completely", () => {
  const text = `a${"\u0301".repeat(5_000)}b`;

  expect(graphemesOf(text).join("")).toBe(text);
});
