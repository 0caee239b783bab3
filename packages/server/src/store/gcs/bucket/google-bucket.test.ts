import { afterAll, beforeAll, expect, test } from "vitest";
import {
  openStorageStandIn,
  type StorageStandIn,
} from "../../../testing/storage/open-storage-stand-in.js";
import { openGoogleBucket } from "./google-bucket.js";

const FAST = { maxTries: 3, baseMs: 1, maxPauseMs: 2, timeoutMs: 600_000 };

let storage: StorageStandIn;
beforeAll(async () => {
  storage = await openStorageStandIn({ pageSize: 2 });
});
afterAll(async () => {
  await storage[Symbol.asyncDispose]();
});

let prefixes = 0;

/** Opens a folder of the bucket. */
function openFolder() {
  prefixes += 1;
  const prefix = `folder-${prefixes}/`;
  const { bucket, endpoint } = storage;
  return {
    prefix,
    bucket: openGoogleBucket({ bucket, prefix, endpoint, retries: FAST }),
    countOf: (type: string) =>
      storage.requests.filter((request) => request.type === type && request.name.startsWith(prefix))
        .length,
  };
}

test("an object is created once, and replaced only in the version that is known", async () => {
  const { bucket } = openFolder();

  const created = [await bucket.create("a", "1"), await bucket.create("a", "2")];
  const generation = (await bucket.findGeneration("a")) ?? "";
  const next = (await bucket.replace("a", "3", generation)) ?? "";
  const late = await bucket.replace("a", "4", generation);

  expect(created).toEqual([true, false]);
  expect(late).toBeUndefined();
  expect(next).not.toBe(generation);
  expect(await bucket.readVersion("a")).toEqual({ body: Buffer.from("3"), generation: next });
  expect(await bucket.findGeneration("a")).toBe(next);
});

test("an object that does not exist is not found, and can be deleted", async () => {
  const { bucket } = openFolder();

  await bucket.delete("a");

  expect(await bucket.read("a")).toBeUndefined();
  expect(await bucket.readVersion("a")).toBeUndefined();
  expect(await bucket.findGeneration("a")).toBeUndefined();
  expect(await bucket.replace("a", "1", "17")).toBeUndefined();
});

test("an object is written with its type, and is read and deleted below the prefix of the bucket", async () => {
  const { bucket, prefix } = openFolder();

  await bucket.write("a/ü 1", Buffer.from([0, 255]), "image/png");
  await bucket.write("a/ü 1", "text", "text/plain");
  const stored = storage.objects.get(`${prefix}a/ü 1`);
  const read = await bucket.read("a/ü 1");
  await bucket.delete("a/ü 1");

  expect(bucket.place).toBe(`${storage.bucket}/${prefix.slice(0, -1)}`);
  expect(stored).toMatchObject({ contentType: "text/plain" });
  expect(read?.toString()).toBe("text");
  expect(storage.objects.has(`${prefix}a/ü 1`)).toBe(false);
});

test("a list has all pages, sorted, without the prefix and without other folders", async () => {
  const { bucket } = openFolder();
  for (const name of ["b/3", "b/1", "a/9", "b/2", "b/4", "b/5"]) await bucket.create(name, "");

  expect(await bucket.list("b/")).toEqual(["b/1", "b/2", "b/3", "b/4", "b/5"]);
  expect(await bucket.list("c/")).toEqual([]);
});

test("a version that is replaced between two requests is read again", async () => {
  const { bucket, prefix } = openFolder();
  await bucket.create("a", "1");
  const isDownload = ({ type, name }: { readonly type: string; readonly name: string }) =>
    type === "download" && name === `${prefix}a`;
  const release = storage.hold(isDownload);
  const reading = bucket.readVersion("a");
  await expect.poll(() => storage.requests.filter(isDownload).length).toBe(1);

  const generation = (await bucket.findGeneration("a")) ?? "";
  const next = await bucket.replace("a", "2", generation);
  release();

  expect(await reading).toEqual({ body: Buffer.from("2"), generation: next });
});

test("a request that fails is repeated, except the search for a generation", async () => {
  const { bucket, countOf, prefix } = openFolder();
  await bucket.create("a", "1");
  const when = ({ name }: { readonly name: string }) => name === `${prefix}a`;

  storage.fail({ status: 503, times: 1, when });
  await expect(bucket.findGeneration("a")).rejects.toMatchObject({ status: 503 });
  const tries = countOf("get");
  storage.fail({ status: 503, times: 2, when });
  const read = await bucket.read("a");
  storage.fail({ status: 503, times: 3, when });

  expect(tries).toBe(1);
  expect(read?.toString()).toBe("1");
  await expect(bucket.delete("a")).rejects.toMatchObject({ status: 503, isUncertain: true });
  expect(await bucket.read("a")).toBeDefined();
});

test("a fault of the bucket names the bucket, and is not taken for a missing object", async () => {
  const { bucket, prefix } = openFolder();
  const end = storage.fail({ status: 403, when: ({ name }) => name.startsWith(prefix) });
  const message = expect.stringContaining(`the bucket ${bucket.place} answered 403`);

  for (const work of [
    bucket.read("a"),
    bucket.readVersion("a"),
    bucket.findGeneration("a"),
    bucket.create("a", ""),
    bucket.write("a", "", "text/plain"),
    bucket.delete("a"),
    bucket.list("a"),
  ])
    await expect(work).rejects.toMatchObject({ message, status: 403, isUncertain: false });
  end();
});
