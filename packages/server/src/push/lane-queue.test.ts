import { expect, test } from "vitest";
import { createLaneQueue, type Lane } from "./lane-queue.js";

const limits = { maxCalls: 4, maxCallsPerOrigin: 2, maxQueued: 6 };
const lane = (origin: string, number: number): Lane => ({ origin, key: `${origin}${number}` });

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
  const queue = openQueue(lane("a", 1), lane("a", 2), lane("a", 3), lane("b", 1));

  expect(takeAll(queue)).toEqual(["a1", "b1", "a2"]);
  queue.release(lane("a", 1));
  expect(takeAll(queue)).toEqual(["a3"]);
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

  queue.add({ key: "a1", origin: "b" });

  expect(takeAll(queue)).toEqual(["a2", "a1"]);
});

test("a lane that is taken out of line does not get its turn", () => {
  const queue = openQueue(lane("a", 1), lane("a", 2), lane("b", 1));

  queue.remove("a1");
  queue.remove("z1");

  expect(takeAll(queue)).toEqual(["a2", "b1"]);
  expect(queue.queued).toBe(0);
});
