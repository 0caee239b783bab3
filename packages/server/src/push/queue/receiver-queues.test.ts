import { expect, test } from "vitest";
import { createLaneQueue, type Lane } from "./receiver-queues.js";

const limits = { maxCalls: 4, maxCallsPerOrigin: 2, maxQueued: 6 };
const lane = (origin: string, number: number): Lane => ({
  origin,
  receiver: `${origin}/${number}`,
  key: `${origin}${number}`,
});

function openQueue(...lanes: readonly Lane[]) {
  const queue = createLaneQueue(limits);
  for (const each of lanes) queue.add(each);
  return queue;
}

function takeAll(queue: ReturnType<typeof openQueue>): string[] {
  const taken: string[] = [];
  for (let next = queue.take(); next !== undefined; next = queue.take()) taken.push(next.key);
  return taken;
}

test("lanes of one receiver keep their order, and receivers take turns", () => {
  const queue = openQueue(lane("a", 1), lane("a", 2), lane("b", 1), lane("c", 1));

  expect(takeAll(queue)).toEqual(["a1", "b1", "c1", "a2"]);
});

test("one receiver takes no more places than its own", () => {
  const queue = openQueue(...[1, 2, 3, 4].map((number) => lane("a", number)), lane("b", 1));

  expect(takeAll(queue)).toEqual(["a1", "b1", "a2"]);
  queue.release(lane("a", 1));
  expect(takeAll(queue)).toEqual(["a3"]);
  queue.release(lane("a", 2));
  expect(takeAll(queue)).toEqual(["a4"]);
});

test("no more calls are made at once than are allowed", () => {
  const queue = openQueue(...["a", "b", "c", "d", "e"].map((origin) => lane(origin, 1)));

  expect(takeAll(queue)).toHaveLength(4);
  queue.release(lane("a", 1));
  expect(takeAll(queue)).toEqual(["e1"]);
});

test("a lane that is in line already is there once, and one more than fit is turned away", () => {
  const queue = openQueue(lane("a", 1), lane("a", 1));

  expect(queue.queued).toBe(1);
  expect([2, 3, 4, 5, 6, 7].map((number) => queue.add(lane("a", number)))).toEqual([
    true,
    true,
    true,
    true,
    true,
    false,
  ]);
  expect(queue.room).toBe(0);
  expect(queue.add(lane("a", 3))).toBe(true);
});

test("a lane that is added for another receiver changes its line", () => {
  const queue = openQueue(lane("a", 1), lane("a", 2));

  queue.add({ ...lane("b", 1), key: "a1" });

  expect(takeAll(queue)).toEqual(["a2", "a1"]);
});

test("a lane that is taken out of line does not get its turn", () => {
  const queue = openQueue(lane("a", 1), lane("a", 2), lane("b", 1));

  queue.remove("a1");
  queue.remove("z1");

  expect(takeAll(queue)).toEqual(["a2", "b1"]);
  expect(queue.queued).toBe(0);
});

test("receivers of one host take turns", () => {
  const hook = (number: number) => ({ ...lane("a", number), receiver: "a/hook" });
  const queue = createLaneQueue({ ...limits, maxCallsPerOrigin: 4 });
  for (const each of [hook(1), hook(2), lane("a", 3)]) queue.add(each);

  expect(takeAll(queue)).toEqual(["a1", "a3", "a2"]);
});

test("calls that turn out to be slow give their places to others", () => {
  const queue = openQueue(...["a", "b", "c", "d", "e", "f"].map((origin) => lane(origin, 1)));
  const slow = takeAll(queue);

  for (const [origin = ""] of slow) queue.doubt(lane(origin, 1));

  expect(slow).toEqual(["a1", "b1", "c1", "d1"]);
  expect(takeAll(queue)).toEqual(["e1", "f1"]);
});

test("those in doubt take only places of their own, overall and of one host", () => {
  const queue = openQueue(lane("a", 1), lane("a", 2), lane("a", 3), lane("a", 4));
  for (const number of [1, 2, 3]) queue.doubt(lane("a", number));

  expect(takeAll(queue)).toEqual(["a4", "a1", "a2"]);
  queue.add(lane("a", 5));
  expect(takeAll(queue)).toEqual(["a5"]);
  queue.release(lane("a", 5));
  expect(takeAll(queue)).toEqual([]);
  queue.release(lane("a", 1));
  expect(takeAll(queue)).toEqual(["a3"]);
});

test("a receiver that is slow is so for all who call it, those in line too, until it is well", () => {
  const hang = (number: number) => ({ ...lane("a", number), receiver: "a/hang" });
  const queue = openQueue(hang(1), hang(2), hang(3), hang(4), hang(5));
  takeAll(queue);

  queue.doubt(hang(1));
  queue.doubt(hang(2));
  queue.add(lane("a", 6));

  expect(takeAll(queue)).toEqual(["a6"]);
  queue.trust(hang(1));
  expect(takeAll(queue)).toEqual(["a3"]);
  queue.remove("a4");
  queue.release(lane("a", 6));
  expect(takeAll(queue)).toEqual(["a5"]);
  expect(queue.queued).toBe(0);
});

test("a slow call that finds no place among the doubtful moves there when one leaves", () => {
  const queue = openQueue(lane("a", 1), lane("a", 2));
  takeAll(queue);
  for (const number of [1, 2]) queue.doubt(lane("a", number));
  for (const number of [3, 4, 5]) queue.add(lane("a", number));
  takeAll(queue);

  queue.doubt(lane("a", 3));
  const before = takeAll(queue);
  queue.release(lane("a", 1));

  expect(before).toEqual([]);
  expect(takeAll(queue)).toEqual(["a5"]);
});
