import { expect, test } from "vitest";
import { countWithin } from "./count-within.js";

/** A list of sizes that counts the reads. */
function openSizes(sizes: readonly number[]) {
  const looked: number[] = [];
  const read = (after: number, most: number) => {
    const found = sizes.slice(after, after + most);
    looked.push(found.length);
    return found;
  };
  return { looked, read };
}

test("a page of small events reaches its limit with few reads", () => {
  const { looked, read } = openSizes(Array(1_000).fill(100));

  expect(countWithin({ after: 0, limit: 256, maxBytes: 256 * 1_024 }, read)).toBe(256);
  expect(looked).toEqual([8, 32, 128, 88]);
});

test("a page of large events is counted without reading later sizes", () => {
  const { looked, read } = openSizes(Array(1_000).fill(4_000_000));

  expect(countWithin({ after: 0, limit: 256, maxBytes: 256 * 1_024 }, read)).toBe(1);
  expect(looked).toEqual([8]);
});

test("a page ends with the event that fills it", () => {
  const { read } = openSizes([...Array(20).fill(10), 5_000, 10, 10]);

  expect(countWithin({ after: 0, limit: 256, maxBytes: 1_000 }, read)).toBe(21);
  expect(countWithin({ after: 21, limit: 256, maxBytes: 1_000 }, read)).toBe(2);
  expect(countWithin({ after: 23, limit: 256, maxBytes: 1_000 }, read)).toBe(0);
});
