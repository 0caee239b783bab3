import { expect, test } from "vitest";
import { layoutText, offsetInRow } from "./layout-text.js";

const layout = (marked: string, width: number) =>
  layoutText({ text: marked.replace("|", ""), cursor: marked.indexOf("|") }, width);

test.each([
  ["|", 5, [""], 0, 0],
  ["abc|", 5, ["abc"], 0, 3],
  ["abcde|", 5, ["abcde", ""], 1, 0],
  ["abcde|fg", 5, ["abcde", "fg"], 1, 0],
  ["a\n|b", 5, ["a", "b"], 1, 0],
  ["a|\nb", 5, ["a", "b"], 0, 1],
  ["漢字漢|", 5, ["漢字", "漢"], 1, 2],
  ["\x1b|[A", 9, ["␛[A"], 0, 1],
  ["\t|x", 9, ["    x"], 0, 4],
])("the text %j is laid out in rows of %i columns", (marked, width, rows, row, column) => {
  const { rows: laid, cursorRow, cursorColumn } = layout(marked, width);

  expect(laid.map(({ text }) => text)).toEqual(rows);
  expect([cursorRow, cursorColumn]).toEqual([row, column]);
});

test.each([
  ["abc\nd|ef", -1, 1],
  ["abc|\nd", 1, 5],
  ["abcdefg|", -1, 2],
] as const)("the cursor in %j moves by %i rows to the offset %i", (marked, step, offset) => {
  expect(offsetInRow(layout(marked, 5), step)).toBe(offset);
});

test.each([1, -1] as const)("the cursor cannot move by %i rows in a text of one row", (step) => {
  expect(offsetInRow(layout("a|b", 5), step)).toBeUndefined();
});
