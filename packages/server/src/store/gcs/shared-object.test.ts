import { afterAll, beforeAll, expect, test } from "vitest";
import {
  openStorageStandIn,
  type StorageStandIn,
} from "../../testing/storage/open-storage-stand-in.js";
import { openGoogleBucket } from "./bucket/google-bucket.js";
import { createSharedObject } from "./shared-object.js";

let storage: StorageStandIn;
beforeAll(async () => {
  storage = await openStorageStandIn();
});
afterAll(async () => {
  await storage[Symbol.asyncDispose]();
});

let names = 0;

/** Opens the access of two processes to one object, which is a list of words. */
function openPair() {
  names += 1;
  const name = `words-${names}.json`;
  const open = () =>
    createSharedObject<string[]>({
      bucket: openGoogleBucket({ bucket: storage.bucket, prefix: "", endpoint: storage.endpoint }),
      name,
      decode: (json) => JSON.parse(json ?? "[]") as string[],
      encode: (words) => JSON.stringify(words),
    });
  const add = (word: string) => async (words: string[]) => words.push(word);
  const countOf = (type: string) =>
    storage.requests.filter((request) => request.type === type && request.name === name).length;
  return { name, one: open(), other: open(), add, countOf };
}

test("changes of two processes at the same time are all stored, each once", async () => {
  const { one, other, add } = openPair();
  const words = Array.from({ length: 12 }, (_, index) => `word-${index}`);

  const lengths = await Promise.all(
    words.map((word, index) => (index % 2 === 0 ? one : other).update(add(word))),
  );

  expect([...(await one.read())].sort()).toEqual([...words].sort());
  expect([...lengths].sort((a, b) => a - b)).toEqual(words.map((_, index) => index + 1));
});

test("changes that arrive during a write are written together", async () => {
  const { one, add, countOf } = openPair();

  await Promise.all(["a", "b", "c", "d"].map((word) => one.update(add(word))));

  expect(await one.read()).toEqual(["a", "b", "c", "d"]);
  expect(countOf("insert")).toBe(2);
});

test("a process reads what another one has written, and downloads an unchanged object once", async () => {
  const { one, other, add, countOf } = openPair();
  const empty = await other.read();
  await one.update(add("a"));

  const read = [await other.read(), await other.read(), await one.read()];

  expect(empty).toEqual([]);
  expect(read).toEqual([["a"], ["a"], ["a"]]);
  expect(countOf("download")).toBe(1);
});

test("simultaneous reads share their requests", async () => {
  const { one, other, add, countOf } = openPair();
  await one.update(add("a"));
  const before = countOf("get");

  const words = await Promise.all([other.read(), other.read(), other.read()]);

  expect(words).toEqual([["a"], ["a"], ["a"]]);
  // One request finds the generation, and the next one reads the object of this generation.
  expect(countOf("get") - before).toBeLessThanOrEqual(2);
});

test("a change that changes nothing is not written", async () => {
  const { one, add, countOf } = openPair();
  await one.update(add("a"));

  const length = await one.update(async (words) => words.length);

  expect(length).toBe(1);
  expect(countOf("insert")).toBe(1);
});

test("a change that throws is refused and stores nothing, and later changes are stored", async () => {
  const { one, add } = openPair();
  await one.update(add("a"));

  const failing = one.update(async (words) => {
    words.push("half");
    throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
  await one.update(add("b"));

  expect(await one.read()).toEqual(["a", "b"]);
});

test("an object that was deleted is empty again", async () => {
  const { name, one, add } = openPair();
  await one.update(add("a"));

  storage.objects.delete(name);

  expect(await one.read()).toEqual([]);
  await one.update(add("b"));
  expect(await one.read()).toEqual(["b"]);
});
