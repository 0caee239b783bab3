import fc from "fast-check";
import { expect, test } from "vitest";
import { lastPage, movePager, type PagerContent, type PagerPosition } from "./pager-position.js";

const contentOf = (sizes: readonly number[]): PagerContent => ({
  count: sizes.length,
  linesOf: (item) => sizes[item] ?? 0,
});

test.each<[item: number, line: number, by: number, to: PagerPosition]>([
  [0, 0, 1, { item: 0, line: 1 }],
  [0, 1, 2, { item: 1, line: 1 }],
  [2, 0, -2, { item: 1, line: 1 }],
  [1, 0, -99, { item: 0, line: 0 }],
  [0, 0, 99, { item: 2, line: 1 }],
  [0, 0, Number.POSITIVE_INFINITY, { item: 2, line: 1 }],
  [2, 1, Number.NEGATIVE_INFINITY, { item: 0, line: 0 }],
])("a move from item %i, line %i by %d lines stays within the content", (item, line, by, to) => {
  expect(movePager(contentOf([2, 3, 4]), { item, line }, by, 3)).toEqual(to);
});

test("the last page is full if there are enough lines", () => {
  expect(lastPage(contentOf([2, 3, 4]), 5)).toEqual({ item: 1, line: 2 });
  expect(lastPage(contentOf([2]), 5)).toEqual({ item: 0, line: 0 });
  expect(lastPage(contentOf([]), 5)).toEqual({ item: 0, line: 0 });
});

test("moving down and up by the same number of lines returns to the same position", () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 20, maxLength: 20 });
  fc.assert(
    fc.property(sizes, fc.integer({ min: 0, max: 8 }), (all, step) => {
      const content = contentOf(all);
      const from = { item: 2, line: 0 };
      expect(movePager(content, movePager(content, from, step, 3), -step, 3)).toEqual(from);
    }),
  );
});
