import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { currentLogContext } from "../../logging/log-context.js";
import type { ConfigRef } from "./config-ref.js";
import { configKey, toConfigRef } from "./config-ref.js";
import { createDeliveries } from "./deliveries.js";
import { type PushLimits, toPushLimits } from "./delivery-limits.js";
import type { Delivered, DeliverySubject } from "./pending-call.js";

const START = Date.parse("2026-01-01T00:00:00.000Z");
const answered: Delivered = { step: { type: "continue" }, standing: "answering" };
const nothingDue: Delivered = { step: { type: "nothing" } };

beforeEach(() => {
  vi.useFakeTimers({ now: START });
});
afterEach(() => {
  vi.useRealTimers();
});

function config(configId: string, receiver = "https://a.example/hook"): ConfigRef {
  const target = { url: receiver, version: "1.0", developmentTool: true, session: true } as const;
  return toConfigRef({
    taskId: "task",
    configId,
    contextId: "context",
    revision: "1",
    target: { ...target, allEvents: false },
    progress: { after: 0, isTaskDue: false, attempts: 0, failures: 0, hasGivenUp: false },
  });
}

/** Creates deliveries. A test ends their calls. */
function openDeliveries(limits: Partial<PushLimits> = {}) {
  const calls: (DeliverySubject & { id: string; end(delivered: Delivered): Promise<void> })[] = [];
  const overflowed: string[] = [];
  const contexts: object[] = [];
  let delivered = 0;
  const deliveries = createDeliveries({
    limits: toPushLimits(limits),
    now: Date.now,
    deliver: (subject) =>
      new Promise((resolve) => {
        contexts.push(currentLogContext());
        calls.push({
          ...subject,
          id: subject.key.configId,
          async end(outcome) {
            resolve(outcome);
            await vi.advanceTimersByTimeAsync(0);
          },
        });
      }),
    onOverflow: ({ configId }) => overflowed.push(configId),
    onDelivered: () => {
      delivered += 1;
    },
  });
  return {
    deliveries,
    calls,
    contexts,
    overflowed,
    ids: () => calls.map(({ id }) => id),
    counts: () => ({ active: deliveries.countActive(), room: deliveries.room(), delivered }),
  };
}

test("the reference to a config contains its receiver without the query", () => {
  expect(config("x", "https://a.example:8443/hook/1?key=secret")).toEqual({
    key: '["task","x"]',
    origin: "https://a.example:8443",
    receiver: "https://a.example:8443/hook/1",
    taskId: "task",
    contextId: "context",
    configId: "x",
    allEvents: false,
  });
  expect(configKey({ taskId: "a", configId: "b" })).toBe('["a","b"]');
});

test("the calls of a config continue until there is nothing more to deliver", async () => {
  const stage = openDeliveries({ maxQueued: 10 });

  stage.deliveries.advance([config("x")], "notify");
  const during = stage.counts();
  await stage.calls[0]?.end(answered);
  await stage.calls[1]?.end(nothingDue);
  const after = stage.counts();
  stage.deliveries.advance([config("x")], "notify");

  expect(during).toEqual({ active: 1, room: 10, delivered: 0 });
  expect(after).toEqual({ active: 0, room: 10, delivered: 2 });
  expect(stage.ids()).toEqual(["x", "x", "x"]);
  expect(stage.contexts[0]).toEqual({ contextId: "context", taskId: "task" });
});

test("an event that arrives during a call starts another call when the first one ends", async () => {
  const stage = openDeliveries();

  stage.deliveries.advance([config("x")], "notify");
  stage.deliveries.advance([config("x")], "notify");
  const during = stage.ids();
  await stage.calls[0]?.end(nothingDue);
  await stage.calls[1]?.end(nothingDue);

  expect(during).toEqual(["x"]);
  expect(stage.ids()).toEqual(["x", "x"]);
});

test("an event starts no call of a config before the stored wait of the config is over", async () => {
  const stage = openDeliveries();
  stage.deliveries.advance([config("x")], "notify");
  await stage.calls[0]?.end({ step: { type: "fail", until: START + 500 }, standing: "failing" });

  stage.deliveries.advance([config("x")], "notify");
  await vi.advanceTimersByTimeAsync(499);
  stage.deliveries.advance([config("x")], "notify");
  const waiting = stage.ids();
  await vi.advanceTimersByTimeAsync(1);
  const over = stage.ids();
  stage.deliveries.advance([config("x")], "notify");

  expect([waiting, over, stage.ids()]).toEqual([["x"], ["x"], ["x", "x"]]);
});

test('the step "wake" ends the wait of a config', async () => {
  const stage = openDeliveries();
  stage.deliveries.advance([config("x")], "notify");
  await stage.calls[0]?.end({ step: { type: "fail", until: START + 500 }, standing: "failing" });

  stage.deliveries.advance([config("x")], "wake");
  await vi.advanceTimersByTimeAsync(500);

  expect(stage.ids()).toEqual(["x", "x"]);
  expect(stage.deliveries.countActive()).toBe(1);
});

test("if a wait could not be stored, a timer starts the next call at the end of the wait", async () => {
  const stage = openDeliveries();
  stage.deliveries.advance([config("x")], "notify");
  await stage.calls[0]?.end({ step: { type: "fault", until: START + 1_000 } });

  await vi.advanceTimersByTimeAsync(999);
  const waiting = stage.ids();
  await vi.advanceTimersByTimeAsync(1);

  expect([waiting, stage.ids()]).toEqual([["x"], ["x", "x"]]);
});

test("a wait whose time has passed ends at once", async () => {
  const stage = openDeliveries();
  stage.deliveries.advance([config("x")], "notify");

  await stage.calls[0]?.end({ step: { type: "fault", until: START - 1_000 } });
  await vi.advanceTimersByTimeAsync(1);

  expect(stage.ids()).toEqual(["x", "x"]);
});

test("the next call of a config that was given up starts when the config is set again", async () => {
  const stage = openDeliveries();
  stage.deliveries.advance([config("x")], "notify");
  await stage.calls[0]?.end({ step: { type: "give-up" }, standing: "failing" });

  await vi.advanceTimersByTimeAsync(60_000);
  stage.deliveries.advance([config("x")], "wake");

  expect(stage.ids()).toEqual(["x", "x"]);
});

test("a slow call does not count towards the limit of answering receivers", async () => {
  const stage = openDeliveries({ maxCalls: 1, maxFailingCalls: 1, slowMs: 500 });
  stage.deliveries.advance([config("slow"), config("x", "https://b.example/")], "notify");

  await vi.advanceTimersByTimeAsync(499);
  const before = stage.ids();
  await vi.advanceTimersByTimeAsync(1);

  expect([before, stage.ids()]).toEqual([["slow"], ["slow", "x"]]);
});

test("a call that ended in time does not count as slow later", async () => {
  const stage = openDeliveries({ maxCalls: 1, maxFailingCalls: 1, slowMs: 500 });
  stage.deliveries.advance([config("x")], "notify");
  await vi.advanceTimersByTimeAsync(400);
  await stage.calls[0]?.end(answered);

  await vi.advanceTimersByTimeAsync(499);
  stage.deliveries.advance([config("y", "https://b.example/")], "notify");

  expect(stage.ids()).toEqual(["x", "x"]);
});

test("a receiver that is marked as failing does not block others", () => {
  const stage = openDeliveries({ maxCalls: 1, maxFailingCalls: 1 });

  stage.deliveries.markFailing(config("x"));
  stage.deliveries.advance([config("x"), config("y", "https://b.example/")], "wake");

  expect(stage.ids()).toEqual(["y", "x"]);
});

test("a config for which there is no room is passed to onOverflow", async () => {
  const stage = openDeliveries({ maxCalls: 1, maxQueued: 1 });

  stage.deliveries.advance([config("x")], "notify");
  stage.deliveries.advance([config("y"), config("z")], "notify");
  const counts = stage.counts();
  await stage.calls[0]?.end(nothingDue);
  await stage.calls[1]?.end(nothingDue);
  stage.deliveries.advance([config("z")], "notify");

  expect(stage.overflowed).toEqual(["z"]);
  expect(counts).toEqual({ active: 2, room: 0, delivered: 0 });
  expect(stage.ids()).toEqual(["x", "y", "z"]);
});

test("a queued config moves to the queue of its new receiver", async () => {
  const stage = openDeliveries({ maxCallsPerOrigin: 1 });
  stage.deliveries.advance([config("x"), config("y")], "notify");

  stage.deliveries.advance([config("y", "https://b.example/")], "wake");

  expect(stage.ids()).toEqual(["x", "y"]);
  expect(stage.counts()).toMatchObject({ active: 2, room: 10_000 });
});

test("a queued config that gets another event keeps its position in the queue", async () => {
  const stage = openDeliveries({ maxCallsPerOrigin: 1 });
  stage.deliveries.advance([config("x"), config("y"), config("z")], "notify");

  stage.deliveries.advance([config("y")], "notify");
  await stage.calls[0]?.end(nothingDue);

  expect(stage.ids()).toEqual(["x", "y"]);
});

test("if a config gets another receiver during a call, the next call goes to this receiver", async () => {
  const stage = openDeliveries({ maxCallsPerOrigin: 1 });
  stage.deliveries.advance([config("x"), config("y")], "notify");

  stage.deliveries.advance([config("x", "https://b.example/")], "wake");
  const during = stage.counts();
  await stage.calls[0]?.end(nothingDue);
  const after = stage.ids();
  await stage.calls[1]?.end(nothingDue);
  await stage.calls[2]?.end(nothingDue);

  expect(during).toMatchObject({ active: 2 });
  expect(after.toSorted()).toEqual(["x", "x", "y"]);
  expect(stage.counts()).toMatchObject({ active: 0, room: 10_000 });
});

test("the timer of a wait that was ended early does not end a later wait", async () => {
  const stage = openDeliveries();
  stage.deliveries.advance([config("x")], "notify");
  await stage.calls[0]?.end({ step: { type: "fault", until: START + 500 } });
  stage.deliveries.advance([config("x")], "wake");
  await stage.calls[1]?.end({ step: { type: "fault", until: START + 900 } });

  await vi.advanceTimersByTimeAsync(899);
  const waiting = stage.ids();
  await vi.advanceTimersByTimeAsync(1);

  expect([waiting.length, stage.ids().length]).toEqual([2, 3]);
});

test("only a call of an older revision is aborted", async () => {
  const stage = openDeliveries();
  const key = { taskId: "task", configId: "x" };
  const isAborted = () => stage.calls[0]?.signal.aborted;
  stage.deliveries.advance([config("x")], "notify");

  stage.deliveries.abortOlder({ ...key, revision: "2" });
  const unread = isAborted();
  stage.calls[0]?.onRead({ revision: "1" });
  stage.deliveries.abortOlder({ ...key, revision: "1" });
  stage.deliveries.abortOlder({ ...key, configId: "other", revision: "2" });
  const same = isAborted();
  stage.deliveries.abortOlder({ ...key, revision: "2" });

  expect([unread, same, isAborted()]).toEqual([false, false, true]);
});

test("stopping a config aborts its call, waits for the end of the call and prevents later calls", async () => {
  const stage = openDeliveries({ maxCallsPerOrigin: 1 });
  const key = (configId: string) => ({ taskId: "task", configId });
  stage.deliveries.advance([config("x"), config("queued")], "notify");
  stage.deliveries.advance([config("x")], "notify");
  const steps: string[] = [];

  await stage.deliveries.stop(key("unknown"));
  await stage.deliveries.stop(key("queued"));
  const stopped = stage.deliveries.stop(key("x")).then(() => steps.push("stopped"));
  await vi.advanceTimersByTimeAsync(10);
  steps.push(`aborted: ${stage.calls[0]?.signal.aborted}`);
  await stage.calls[0]?.end(nothingDue);
  await stopped;

  expect(steps).toEqual(["aborted: true", "stopped"]);
  expect(stage.ids()).toEqual(["x"]);
  expect(stage.counts()).toMatchObject({ active: 0, room: 10_000 });
});

test("no call starts at the end of a wait if the config was stopped meanwhile", async () => {
  const stage = openDeliveries();
  stage.deliveries.advance([config("x")], "notify");
  await stage.calls[0]?.end({ step: { type: "fault", until: START + 500 } });

  await stage.deliveries.stop({ taskId: "task", configId: "x" });
  await vi.advanceTimersByTimeAsync(1_000);
  const after = stage.ids();
  stage.deliveries.advance([config("x")], "notify");

  expect([after, stage.ids()]).toEqual([["x"], ["x", "x"]]);
});

test("a drain ends with the last call or after its timeout", async () => {
  const stage = openDeliveries();
  const ends: string[] = [];
  await stage.deliveries.drain(1_000);
  stage.deliveries.advance([config("x"), config("y", "https://b.example/")], "notify");

  const all = stage.deliveries.drain(1_000).then(() => ends.push("all"));
  await stage.calls[0]?.end(nothingDue);
  const early = [...ends];
  await stage.calls[1]?.end(nothingDue);
  await all;
  stage.deliveries.advance([config("x")], "notify");
  const timed = stage.deliveries.drain(1_000).then(() => ends.push("time"));
  await vi.advanceTimersByTimeAsync(999);
  const before = [...ends];
  await vi.advanceTimersByTimeAsync(1);
  await timed;

  expect([early, before, ends]).toEqual([[], ["all"], ["all", "time"]]);
});

test("closing the deliveries aborts their calls, waits for them and starts no others", async () => {
  const stage = openDeliveries({ maxCallsPerOrigin: 1 });
  stage.deliveries.advance([config("x"), config("queued")], "notify");
  stage.deliveries.advance([config("waits", "https://b.example/")], "notify");
  await stage.calls[1]?.end({ step: { type: "fault", until: START + 100 } });
  const steps: string[] = [];

  const closed = stage.deliveries.close().then(() => steps.push("closed"));
  await vi.advanceTimersByTimeAsync(1_000);
  steps.push(`aborted: ${stage.calls[0]?.signal.aborted}`);
  await stage.calls[0]?.end(answered);
  await closed;
  stage.deliveries.advance([config("y", "https://c.example/")], "wake");

  expect(steps).toEqual(["aborted: true", "closed"]);
  expect(stage.ids()).toEqual(["x", "waits"]);
});
