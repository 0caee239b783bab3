import { buildEvent } from "@dt/schema/testing";
import { expect, test } from "vitest";
import { EncodedFrames, type LoggedEvent } from "./logged-event.js";
import { createTail } from "./tail.js";

test("a tail returns the events after a position only if it has all of them", () => {
  const tail = createTail();
  for (let position = 1; position <= 5_000; position += 1) tail.push(text(position));
  const reached = firstReached(5_000, (after) => tail.read(after, 1));

  expect(positionsOf(tail.read(reached, 3))).toEqual([reached + 1, reached + 2, reached + 3]);
  expect(positionsOf(tail.read(4_998, 256))).toEqual([4_999, 5_000]);
  expect(tail.read(5_000, 256)).toEqual([]);
  expect(tail.read(reached - 1, 256)).toBeUndefined();
  expect(5_000 - reached).toBe(2_040);
});

test("a tail returns its only event", () => {
  const tail = createTail();
  tail.push(text(1));

  expect(positionsOf(tail.read(0, 256))).toEqual([1]);
});

test("an event that is too large for the tail is dropped, and later events are returned", () => {
  const tail = createTail();
  tail.push(text(1, "x".repeat(2 * 1024 * 1024)));
  expect(tail.read(0, 256)).toBeUndefined();

  tail.push(text(2));
  expect(tail.read(0, 256)).toBeUndefined();
  expect(positionsOf(tail.read(1, 256))).toEqual([2]);
});

test("a tail has at most two mebibytes, estimated from the text of its events", () => {
  const tail = createTail();
  // The estimate is 1,024 bytes and two bytes for each character, so 64 such events are two mebibytes.
  const said = "x".repeat(15 * 1024 + 512);

  for (let position = 1; position <= 64; position += 1) tail.push(text(position, said));
  const lowest = firstReached(64, (after) => tail.read(after, 1));
  tail.push(text(65, said));

  expect([lowest, firstReached(65, (after) => tail.read(after, 1))]).toEqual([0, 1]);
});

test("a tail keeps its bound when large events follow many small ones that were dropped", () => {
  const tail = createTail();
  for (let position = 1; position <= 3_000; position += 1) tail.push(text(position));

  for (let position = 3_001; position <= 3_040; position += 1)
    tail.push(text(position, "x".repeat(100_000)));

  // Each of these events counts as 201,024 bytes.
  expect(3_040 - firstReached(3_040, (after) => tail.read(after, 1))).toBe(10);
});

test("a tail that was cleared accepts new events", () => {
  const tail = createTail();
  for (let position = 1; position <= 3_000; position += 1) tail.push(text(position));
  tail.clear();
  expect(tail.read(2_999, 256)).toBeUndefined();

  tail.push(text(3_001));
  expect(positionsOf(tail.read(3_000, 256))).toEqual([3_001]);
});

test("the cache of an event returns the same frames at every read until they are replaced", () => {
  const cache = new EncodedFrames();
  const one = [{ json: `{"text":"${"ä😀".repeat(20)}"}`, cursor: "1" }];
  cache.set("one", one);
  cache.set("two", []);

  for (let times = 0; times < 3; times += 1) {
    expect(cache.get("one")).toEqual(one);
    expect(cache.get("two")).toEqual([]);
  }
  cache.set("one", []);
  expect([cache.get("one"), cache.get("three"), cache.size]).toEqual([[], undefined, 2]);
});

function text(position: number, said = "hi"): LoggedEvent {
  const event = buildEvent({ kind: "TEXT_CONTENT", text: said }, { cursor: String(position) });
  return { position, turn: 1, event, encoded: new EncodedFrames() };
}

function positionsOf(events: readonly LoggedEvent[] | undefined): readonly number[] | undefined {
  return events?.map(({ position }) => position);
}

/** Finds the lowest position after which the tail can be read. */
function firstReached(last: number, read: (after: number) => unknown): number {
  let after = last;
  while (after > 0 && read(after - 1) !== undefined) after -= 1;
  return after;
}
