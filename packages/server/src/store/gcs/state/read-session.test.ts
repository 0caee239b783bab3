import { expect, test } from "vitest";
import { event, session } from "../../../testing/store-checks.js";
import { type ObjectBucket, ObjectGone } from "../bucket/object-bucket.js";
import { createGcsState, type IndexedSession, loadedOf } from "./gcs-state.js";
import { createSessionContent } from "./read-session.js";
import { encodeParts } from "./session-parts.js";

const MIB = 1024 * 1024;

const part = (...positions: readonly number[]) => ({
  events: positions.map((position) => ({ position, epoch: 1, event: event(position) })),
  journal: positions.map((position) => ({ type: String(position) })),
});

/** Opens the content of a bucket. Each object is a segment with the given commits. */
function openContent(objects: Readonly<Record<string, ReturnType<typeof part>[]>>) {
  const downloads: string[] = [];
  const bucket = {
    place: "bucket",
    async read(name: string) {
      downloads.push(name);
      const parts = objects[name];
      return parts && Buffer.from(encodeParts(parts));
    },
  } as Partial<ObjectBucket> as ObjectBucket;
  const state = createGcsState();
  const add = (contextId: string, segments: IndexedSession["segments"]) =>
    state.tables.sessions.set(contextId, {
      ...session,
      contextId,
      lastPosition: 0,
      epoch: 1,
      commitNumber: 1,
      lastActiveAt: session.createdAt,
      segments,
    });
  return { content: createSessionContent(bucket), state, downloads, add };
}

test("events and journal come from the segments in order, and then from the log", async () => {
  const { content, state, downloads, add } = openContent({
    a: [part(1), part(2, 3)],
    b: [part(4)],
  });
  add("context", [
    { name: "a", after: 0, last: 3, bytes: 1 },
    { name: "b", after: 3, last: 4, bytes: 1 },
  ]);
  loadedOf(state, "context").tail.push(part(5), part(6));
  const positions = async (after: number, limit: number) =>
    (await content.readEvents(state, { contextId: "context", after, limit })).map(
      ({ position }) => position,
    );

  expect(await positions(4, 9)).toEqual([5, 6]);
  expect(downloads).toEqual([]);
  expect(await positions(3, 9)).toEqual([4, 5, 6]);
  expect(downloads).toEqual(["b"]);
  expect(await positions(1, 3)).toEqual([2, 3, 4]);
  expect(await positions(0, 1)).toEqual([1]);
  expect(await positions(6, 9)).toEqual([]);
  expect(await content.readJournal(state, "context")).toEqual(
    ["1", "2", "3", "4", "5", "6"].map((type) => ({ type })),
  );
  expect(downloads).toEqual(["b", "a"]);
  expect(await content.readJournal(state, "nope")).toEqual([]);
});

test("events of one task or of some kinds end at their position, without reading further segments", async () => {
  const { content, state, downloads, add } = openContent({ a: [part(1, 2)], b: [part(3)] });
  add("context", [
    { name: "a", after: 0, last: 2, bytes: 1 },
    { name: "b", after: 2, last: 3, bytes: 1 },
  ]);
  const read = async (taskId: string, upTo: number) => {
    const kinds = { only: ["TEXT_CONTENT"] as const, upTo };
    const query = { contextId: "context", taskId, after: 0, limit: 9, kinds };
    return (await content.readEvents(state, query)).map(({ position }) => position);
  };

  expect(await read("task", 1)).toEqual([1]);
  expect(downloads).toEqual(["a"]);
  expect(await read("task", 3)).toEqual([1, 2, 3]);
  expect(await read("other", 3)).toEqual([]);
});

test("the segments that were used last stay in memory, up to 64 MiB", async () => {
  const names = ["a", "b", "c"];
  const { content, state, downloads, add } = openContent({
    a: [part(1)],
    b: [part(1)],
    c: [part(1)],
    large: [part(1)],
  });
  for (const name of names) add(name, [{ name, after: 0, last: 1, bytes: 32 * MIB }]);
  add("large", [{ name: "large", after: 0, last: 1, bytes: 65 * MIB }]);
  const read = async (contextId: string) => {
    await content.readEvents(state, { contextId, after: 0, limit: 1 });
    return downloads.splice(0);
  };

  expect([await read("a"), await read("b"), await read("a")]).toEqual([["a"], ["b"], []]);
  // The segment b was used longest ago.
  expect([await read("c"), await read("a"), await read("b")]).toEqual([["c"], [], ["b"]]);
  expect([await read("large"), await read("large")]).toEqual([["large"], []]);
  expect([await read("a"), await read("b")]).toEqual([["a"], ["b"]]);
  expect(await read("a")).toEqual([]);
});

test("a segment that no longer exists, or is damaged, is reported", async () => {
  const { content, state, add } = openContent({});
  add("context", [{ name: "gone", after: 0, last: 1, bytes: 1 }]);

  await expect(
    content.readEvents(state, { contextId: "context", after: 0, limit: 1 }),
  ).rejects.toBeInstanceOf(ObjectGone);
  await expect(content.readJournal(state, "context")).rejects.toThrow(
    "the bucket bucket has no object gone",
  );
});
