import fc from "fast-check";
import { expect, test } from "vitest";
import { createReceiverQueues, type QueuedConfig } from "./receiver-queues.js";

const limits = { maxCalls: 4, maxFailingCalls: 2, maxCallsPerOrigin: 2, maxQueued: 6 };
const config = (origin: string, number: number): QueuedConfig => ({
  origin,
  receiver: `${origin}/${number}`,
  key: `${origin}${number}`,
});

function openQueues(configs: readonly QueuedConfig[], changed: Partial<typeof limits> = {}) {
  const queues = createReceiverQueues({ ...limits, ...changed });
  for (const each of configs) queues.add(each);
  return queues;
}

function takeAll(queues: ReturnType<typeof openQueues>): string[] {
  const taken: string[] = [];
  for (let next = queues.take(); next !== undefined; next = queues.take()) taken.push(next.key);
  return taken;
}

test("configs are taken from each host in turn, in order of arrival", () => {
  const queues = openQueues([config("a", 1), config("a", 2), config("b", 1), config("c", 1)]);

  expect(takeAll(queues)).toEqual(["a1", "b1", "c1", "a2"]);
});

test("configs of one host are taken from each of its receivers in turn", () => {
  const hook = (number: number) => ({ ...config("a", number), receiver: "a/hook" });
  const queues = openQueues([hook(1), hook(2), config("a", 3)], { maxCallsPerOrigin: 4 });

  expect(takeAll(queues)).toEqual(["a1", "a3", "a2"]);
});

test("the simultaneous calls to one host do not exceed its limit", () => {
  const queues = openQueues([...[1, 2, 3, 4].map((number) => config("a", number)), config("b", 1)]);

  expect(takeAll(queues)).toEqual(["a1", "b1", "a2"]);
  queues.release(config("a", 1));
  expect(takeAll(queues)).toEqual(["a3"]);
  queues.release(config("a", 2));
  expect(takeAll(queues)).toEqual(["a4"]);
});

test("the simultaneous calls to all hosts do not exceed the overall limit", () => {
  const queues = openQueues(["a", "b", "c", "d", "e"].map((origin) => config(origin, 1)));

  expect(takeAll(queues)).toHaveLength(4);
  queues.release(config("a", 1));
  expect(takeAll(queues)).toEqual(["e1"]);
});

test("a config that is added twice is queued once, and refused if there is no room", () => {
  const queues = openQueues([config("a", 1), config("a", 1)]);

  expect(queues.queued).toBe(1);
  expect([2, 3, 4, 5, 6, 7].map((number) => queues.add(config("a", number)))).toEqual([
    true,
    true,
    true,
    true,
    true,
    false,
  ]);
  expect(queues.room).toBe(0);
  expect(queues.add(config("a", 3))).toBe(true);
});

test("a config that is removed is not taken", () => {
  const queues = openQueues([config("a", 1), config("a", 2), config("b", 1)]);

  queues.remove(config("a", 1));
  queues.remove(config("z", 1));

  expect(takeAll(queues)).toEqual(["a2", "b1"]);
  expect(queues.queued).toBe(0);
});

test("calls that become slow do not count towards the limit of answering receivers", () => {
  const queues = openQueues(["a", "b", "c", "d", "e", "f"].map((origin) => config(origin, 1)));
  const slow = takeAll(queues);

  for (const [origin = ""] of slow) queues.mark(config(origin, 1), "failing");

  expect(slow).toEqual(["a1", "b1", "c1", "d1"]);
  expect(takeAll(queues)).toEqual(["e1", "f1"]);
});

test("the calls to failing receivers do not exceed their smaller overall limit", () => {
  const queues = openQueues(["a", "b", "c", "d"].map((origin) => config(origin, 1)));
  for (const origin of ["a", "b", "c"]) queues.mark(config(origin, 1), "failing");

  expect(takeAll(queues)).toEqual(["d1", "a1", "b1"]);
  queues.release(config("d", 1));
  expect(takeAll(queues)).toEqual([]);
  queues.release(config("a", 1));
  expect(takeAll(queues)).toEqual(["c1"]);
});

test("the calls to failing receivers of one host do not exceed their smaller limit", () => {
  const queues = openQueues([config("a", 1), config("a", 2), config("a", 3)]);
  for (const number of [1, 2]) queues.mark(config("a", number), "failing");

  expect(takeAll(queues)).toEqual(["a3", "a1"]);
  queues.add(config("a", 4));
  expect(takeAll(queues)).toEqual(["a4"]);
  queues.release(config("a", 4));
  expect(takeAll(queues)).toEqual([]);
  queues.release(config("a", 1));
  expect(takeAll(queues)).toEqual(["a2"]);
});

test("a receiver counts as failing for all its configs until it answers", () => {
  const hang = (number: number) => ({ ...config("a", number), receiver: "a/hang" });
  const queues = openQueues([hang(1), hang(2), hang(3), hang(4)], { maxCallsPerOrigin: 1 });
  takeAll(queues);

  queues.mark(hang(1), "failing");
  queues.add(config("a", 5));

  expect(takeAll(queues)).toEqual(["a5"]);
  queues.release(config("a", 5));
  queues.release(hang(1));
  queues.remove(hang(2));
  expect(takeAll(queues)).toEqual(["a3"]);
  queues.mark(hang(3), "answering");
  queues.release(hang(3));
  expect(takeAll(queues)).toEqual(["a4"]);
  expect(queues.queued).toBe(0);
});

test("failing calls beyond their limit count towards the limit of answering calls", () => {
  const queues = openQueues(["a", "b", "c", "d"].map((origin) => config(origin, 1)));
  takeAll(queues);
  for (const origin of ["a", "b", "c"]) queues.mark(config(origin, 1), "failing");
  for (const origin of ["e", "f", "g"]) queues.add(config(origin, 1));

  // The call to d and the third failing call count towards the limit of four, so two more calls can start.
  expect(takeAll(queues)).toEqual(["e1", "f1"]);
  queues.release(config("a", 1));
  expect(takeAll(queues)).toEqual(["g1"]);
});

test("if there are too many failing receivers, the ones that failed longest ago are forgotten", () => {
  const queues = openQueues([]);
  for (let number = 0; number < 10_010; number += 1) {
    queues.mark(config(`host${number}`, 1), "failing");
  }
  for (const number of [9_000, 9_001]) queues.add(config(`host${number}`, 1));
  takeAll(queues);

  for (const number of [9_002, 0]) queues.add(config(`host${number}`, 1));

  expect(takeAll(queues)).toEqual(["host01"]);
});

test("if there is one receiver too many, only the one that failed longest ago is forgotten", () => {
  const queues = openQueues([]);
  const fail = (number: number) => queues.mark(config(`host${number}`, 1), "failing");
  // The limit is the sum of 6 queued configs and 10,000 remembered receivers.
  for (let number = 0; number < 10_006; number += 1) fail(number);

  fail(0);
  fail(10_006);
  for (const number of [0, 2, 1]) queues.add(config(`host${number}`, 1));

  // A forgotten receiver counts as answering, and answering receivers are called first.
  expect(takeAll(queues)).toEqual(["host11", "host01", "host21"]);
});

test("a receiver with a running call is not forgotten, however many receivers fail", () => {
  const queues = openQueues([config("busy", 1)]);
  takeAll(queues);
  queues.mark(config("busy", 1), "failing");
  for (let number = 0; number < 10_006; number += 1) {
    queues.mark(config(`host${number}`, 1), "failing");
  }

  for (const origin of ["busy", "good"]) queues.add(config(origin, 1));

  // A failing receiver gets one call at a time.
  expect(takeAll(queues)).toEqual(["good1"]);
  queues.release(config("busy", 1));
  expect(takeAll(queues)).toEqual(["busy1"]);
});

test("receivers that answered are forgotten, and a failing receiver is remembered", () => {
  const queues = openQueues([]);
  queues.mark(config("bad", 1), "failing");

  for (let number = 0; number < 10_010; number += 1) {
    const each = config(`host${number}`, 1);
    queues.add(each);
    queues.take();
    queues.mark(each, "answering");
    queues.release(each);
  }
  for (const origin of ["bad", "good"]) queues.add(config(origin, 1));

  expect(takeAll(queues)).toEqual(["good1", "bad1"]);
});

test("marking an answering receiver as answering does not change its position in the order", () => {
  const queues = openQueues([config("a", 1), config("b", 1)]);

  queues.mark(config("a", 1), "answering");

  expect(takeAll(queues)).toEqual(["a1", "b1"]);
});

const step = fc.record({
  type: fc.constantFrom("add", "add", "take", "take", "release", "remove", "failing", "answering"),
  origin: fc.constantFrom("a", "b", "c"),
  path: fc.nat(2),
  number: fc.nat(5),
});

test("after random steps, all limits hold, no config is lost, and each queue keeps its order", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const queues = createReceiverQueues<QueuedConfig>(limits);
      let waiting: QueuedConfig[] = [];
      let calling: QueuedConfig[] = [];
      const without = (configs: readonly QueuedConfig[], { key }: QueuedConfig) =>
        configs.filter((each) => each.key !== key);
      const take = () => {
        const taken = queues.take();
        if (taken === undefined) return false;
        expect(waiting.find(({ receiver }) => receiver === taken.receiver)).toEqual(taken);
        waiting = without(waiting, taken);
        calling.push(taken);
        return true;
      };
      for (const { type, origin, path, number } of steps) {
        const receiver = `${origin}/${path}`;
        const chosen = { origin, receiver, key: `${receiver}#${number}` };
        const isCalling = calling.some(({ key }) => key === chosen.key);
        if (type === "add" && !isCalling) {
          const isKnown = waiting.some(({ key }) => key === chosen.key);
          expect(queues.add(chosen)).toBe(isKnown || waiting.length < limits.maxQueued);
          if (!isKnown && waiting.length < limits.maxQueued) waiting.push(chosen);
        } else if (type === "take") {
          take();
        } else if (type === "release" && isCalling) {
          queues.release(chosen);
          calling = without(calling, chosen);
        } else if (type === "remove") {
          queues.remove(chosen);
          waiting = without(waiting, chosen);
        } else if (type === "failing" || type === "answering") {
          queues.mark(chosen, type);
        }
        expect([queues.queued, queues.calling]).toEqual([waiting.length, calling.length]);
        expect(calling.length).toBeLessThanOrEqual(limits.maxCalls + limits.maxFailingCalls);
        for (const host of ["a", "b", "c"]) {
          const own = calling.filter((each) => each.origin === host);
          expect(own.length).toBeLessThanOrEqual(limits.maxCallsPerOrigin + 1);
        }
      }
      while (waiting.length > 0) {
        for (const each of calling) queues.release(each);
        calling = [];
        expect(take()).toBe(true);
      }
    }),
    { numRuns: 500 },
  );
});

test("receivers that failed and answer again take no room from receivers that still fail", () => {
  const queues = openQueues([]);
  queues.mark(config("bad", 1), "failing");

  for (let number = 0; number < 10_010; number += 1) {
    const each = config(`host${number}`, 1);
    queues.mark(each, "failing");
    queues.mark(each, "answering");
  }
  for (const origin of ["bad", "good"]) queues.add(config(origin, 1));

  expect(takeAll(queues)).toEqual(["good1", "bad1"]);
});

test("a receiver whose queued configs were removed gets its turn when it has configs again", () => {
  const queues = openQueues([config("a", 1), config("b", 1)]);

  queues.remove(config("a", 1));
  queues.add(config("c", 1));
  queues.add(config("a", 2));

  expect(takeAll(queues)).toEqual(["b1", "c1", "a2"]);
  expect([queues.queued, queues.calling, queues.room]).toEqual([0, 3, 6]);
});
