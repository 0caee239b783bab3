import fc from "fast-check";
import { expect, test } from "vitest";
import { lastPage, movePager, type PagerContent } from "./pager-position.js";

const contentOf = (sizes: readonly number[]): PagerContent => ({
  count: sizes.length,
  linesOf: (item) => sizes[item] ?? 0,
});

test.each([
  [{ item: 0, line: 0 }, 1, { item: 0, line: 1 }],
  [{ item: 0, line: 1 }, 2, { item: 1, line: 1 }],
  [{ item: 2, line: 0 }, -2, { item: 1, line: 1 }],
  [{ item: 1, line: 0 }, -99, { item: 0, line: 0 }],
  [{ item: 0, line: 0 }, 99, { item: 2, line: 1 }],
  [{ item: 0, line: 0 }, Number.POSITIVE_INFINITY, { item: 2, line: 1 }],
  [{ item: 2, line: 1 }, Number.NEGATIVE_INFINITY, { item: 0, line: 0 }],
])("moving from %j by %d lines stays within the content", (from, lines, to) => {
  expect(movePager(contentOf([2, 3, 4]), from, lines, 3)).toEqual(to);
});

test("the last page is full if there are enough lines", () => {
  expect(lastPage(contentOf([2, 3, 4]), 5)).toEqual({ item: 1, line: 2 });
  expect(lastPage(contentOf([2]), 5)).toEqual({ item: 0, line: 0 });
  expect(lastPage(contentOf([]), 5)).toEqual({ item: 0, line: 0 });
});

test("moving down and up by the same lines returns to the start", () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 20, maxLength: 20 });
  fc.assert(
    fc.property(sizes, fc.integer({ min: 0, max: 8 }), (all, step) => {
      const content = contentOf(all);
      const from = { item: 2, line: 0 };
      expect(movePager(content, movePager(content, from, step, 3), -step, 3)).toEqual(from);
    }),
  );
});
