import { expect, test } from "vitest";
import { createFileCache } from "./file-cache.js";

const stamped = (file: string, change = {}) => ({
  file,
  stats: { ino: 1, size: 2, mtimeMs: 3, ctimeMs: 4, ...change },
});

test("a cached result is found only for the same files in the same state", () => {
  const cache = createFileCache<string>();
  cache.set([stamped("a")], "text");

  const changes = [{ ino: 9 }, { size: 9 }, { mtimeMs: 9 }, { ctimeMs: 9 }];
  expect(cache.find([stamped("a")])).toBe("text");
  expect(changes.map((change) => cache.find([stamped("a", change)]))).toEqual(
    changes.map(() => undefined),
  );
  expect(cache.find([stamped("b")])).toBeUndefined();
  expect(cache.find([stamped("a"), stamped("b")])).toBeUndefined();
});

test("a 33rd result replaces the least recently used result in the cache", () => {
  const cache = createFileCache<number>();
  for (let n = 0; n < 32; n += 1) cache.set([stamped(`${n}`)], n);
  cache.find([stamped("0")]);

  cache.set([stamped("new")], 32);

  expect(cache.find([stamped("0")])).toBe(0);
  expect(cache.find([stamped("1")])).toBeUndefined();
  expect(cache.find([stamped("new")])).toBe(32);
});
