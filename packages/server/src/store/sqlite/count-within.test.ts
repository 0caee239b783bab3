import { expect, test } from "vitest";
import { countWithin } from "./count-within.js";

/** Creates a function that reads sizes from a list. `looked` has the number of sizes in each read. */
function openSizes(sizes: readonly number[]) {
  const looked: number[] = [];
  const read = (after: number, most: number) => {
    const found = sizes.slice(after, after + most);
    looked.push(found.length);
    return found;
  };
  return { looked, read };
}

test("many small events are counted with few reads", () => {
  const { looked, read } = openSizes(Array(1_000).fill(100));

  expect(countWithin({ after: 0, limit: 256, maxBytes: 256 * 1_024 }, read)).toBe(256);
  expect(looked).toEqual([8, 32, 128, 88]);
});

test("large events are counted with one small read", () => {
  const { looked, read } = openSizes(Array(1_000).fill(4_000_000));

  expect(countWithin({ after: 0, limit: 256, maxBytes: 256 * 1_024 }, read)).toBe(1);
  expect(looked).toEqual([8]);
});

test("the count includes the event that reaches the limit of bytes", () => {
  const { read } = openSizes([...Array(20).fill(10), 5_000, 10, 10]);

  expect(countWithin({ after: 0, limit: 256, maxBytes: 1_000 }, read)).toBe(21);
  expect(countWithin({ after: 21, limit: 256, maxBytes: 1_000 }, read)).toBe(2);
  expect(countWithin({ after: 23, limit: 256, maxBytes: 1_000 }, read)).toBe(0);
});
