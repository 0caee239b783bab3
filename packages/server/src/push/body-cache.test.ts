import { expect, test } from "vitest";
import { createBodyCache } from "./body-cache.js";

function openBodies(maxCached: number) {
  const bodies = createBodyCache(maxCached);
  const written: string[] = [];
  const write = (body: string) => async () => {
    written.push(body);
    return body;
  };
  return { written, find: (body: string) => bodies.get(body, write(body)), bodies };
}

test("a body is written once for simultaneous and later calls", async () => {
  const { written, find } = openBodies(10);

  const found = await Promise.all([find("one"), find("one")]);
  found.push(await find("one"));

  expect(found).toEqual(["one", "one", "one"]);
  expect(written).toEqual(["one"]);
});

test("the least recently used bodies are evicted when the cache exceeds its limit", async () => {
  const { written, find } = openBodies(8);

  for (const body of ["aaa", "bbb", "aaa", "ccc", "aaa", "bbb"]) await find(body);

  expect(written).toEqual(["aaa", "bbb", "ccc", "bbb"]);
});

test("a body that is too large is not cached", async () => {
  const { written, find } = openBodies(2);

  for (const body of ["aaa", "aaa"]) await find(body);

  expect(written).toEqual(["aaa", "aaa"]);
});

test("a body that could not be written is written again by the next call", async () => {
  const { bodies } = openBodies(8);
  const failing = bodies.get("a", () => Promise.reject(new Error("disk full")));

  await expect(failing).rejects.toThrow("disk full");
  expect(await bodies.get("a", async () => "a")).toBe("a");
});

test("a body that is evicted while it is written does not count towards the limit", async () => {
  const { written, find, bodies } = openBodies(4);
  let finish = (_body: string) => {};
  const slow = bodies.get("slow", () => new Promise((resolve) => (finish = resolve)));

  await find("aaaaa");
  finish("slow");
  await slow;
  for (const body of ["bbb", "bbb"]) await find(body);

  expect(written).toEqual(["aaaaa", "bbb"]);
});

test("a body that could not be written does not count towards the limit", async () => {
  const cache = createBodyCache(10);
  let writes = 0;
  const write = (length: number) => async () => {
    writes += 1;
    return "x".repeat(length);
  };
  for (const name of ["a", "b", "c"])
    await expect(cache.get(name, () => Promise.reject(new Error("no")))).rejects.toThrow("no");

  await cache.get("first", write(10));
  await cache.get("first", write(10));
  const fits = writes;
  await cache.get("second", write(1));
  await cache.get("first", write(10));

  expect([fits, writes]).toEqual([1, 3]);
});

test("the default limit of the body cache is 16 Mi characters", async () => {
  const cache = createBodyCache();
  const half = "x".repeat(8 * 1_048_576);
  const written: string[] = [];
  const find = (name: string, body: string) =>
    cache.get(name, async () => {
      written.push(name);
      return body;
    });

  for (const name of ["a", "b", "a", "b"]) await find(name, half);
  await find("c", "x");
  for (const name of ["b", "a"]) await find(name, half);

  expect(written).toEqual(["a", "b", "c", "a"]);
});

test("an evicted body whose write fails later does not remove the body that replaced it", async () => {
  const { find, bodies } = openBodies(2);
  let fail = (_reason: Error) => {};
  const first = bodies.get("a", () => new Promise((_, reject) => (fail = reject)));
  await find("bbb");
  await find("a");

  fail(new Error("disk full"));

  await expect(first).rejects.toThrow("disk full");
  expect(await bodies.get("a", async () => "written again")).toBe("a");
});
