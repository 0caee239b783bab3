import type { StampedEvent, ToolCall } from "@dt/schema";
import { buildToolCall } from "@dt/schema/testing";
import { expect, onTestFinished, test, vi } from "vitest";
import { openSessionLog, type WritableLog } from "../../log/session-log.js";
import type {
  PresentClient,
  SharedActivity,
  SharedOutput,
} from "../../store/instances/instance-store.js";
import { openMemoryStore } from "../../store/memory/open-memory-store.js";
import { STARTED_AT, session } from "../../testing/store-checks.js";
import type { SessionHost } from "../session-host.js";
import { createActivitySharer } from "./share-activity.js";

const ADA = { user: "ada", name: "laptop" };
const BOB = { user: "bob", name: "phone" };

const outputOf = (overrides: Partial<ToolCall> = {}): StampedEvent => ({
  kind: "TOOL_CALL_UPDATE",
  toolCall: buildToolCall({ status: "EXECUTING", ...overrides }),
  taskId: "task",
  turn: 3,
  state: "working",
  at: STARTED_AT,
});

/** Opens the sharer of one instance. The clock stands still until `tick` moves it by one interval. */
function openStage(ids: readonly string[] = ["context"]) {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const stage = {
    exchanged: [] as ReadonlyMap<string, readonly PresentClient[]>[],
    published: [] as (readonly SharedOutput[])[],
    removed: [] as string[],
    asked: [] as (readonly string[])[],
    shown: [] as unknown[],
    /** Activity that the other instances have stored. */
    clients: [] as { contextId: string; clients: readonly PresentClient[] }[],
    outputs: [] as (SharedOutput & { revision: number })[],
    waitFor: Promise.resolve(),
    waitForRead: Promise.resolve(),
  };
  const activity: SharedActivity = {
    async exchangeClients(own) {
      stage.exchanged.push(own);
      await stage.waitFor;
      return stage.clients;
    },
    publishLive: async (outputs) => void stage.published.push(outputs),
    removeLive: async (contextId) => void stage.removed.push(contextId),
    async readLive(contextIds) {
      stage.asked.push(contextIds);
      await stage.waitForRead;
      return stage.outputs;
    },
  };
  const hosts = ids.map((contextId) => {
    const log: WritableLog = openSessionLog({
      session: { ...session, contextId },
      lastPosition: 0,
      store: openMemoryStore(),
    });
    const showLive = (event: StampedEvent) => void stage.shown.push(event);
    return { log, isOwned: true, showLive };
  });
  const sharer = createActivitySharer({
    activity,
    entries: { hosts: () => hosts as unknown as readonly SessionHost[] },
  });
  onTestFinished(() => sharer.close());
  sharer.start();
  const settle = async () => {
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
  };
  return Object.assign(stage, {
    hosts,
    host: hosts[0] as (typeof hosts)[number],
    sharer,
    settle,
    async tick(count = 1) {
      for (let left = count; left > 0; left -= 1) {
        vi.advanceTimersByTime(250);
        await settle();
      }
    },
  });
}

const announce = (log: WritableLog, event: StampedEvent) =>
  log.announce([{ position: log.lastPosition + 1, epoch: 1, event }]);

test("the clients of sessions are exchanged once a second, and those of other instances are counted [SRV-27]", async () => {
  const stage = openStage(["context", "unused"]);
  const { subscribers } = stage.host.log;
  subscribers.add(() => {}, { client: ADA });
  stage.clients = [
    { contextId: "context", clients: [BOB, null] },
    { contextId: "elsewhere", clients: [{ user: "eve", name: "eve/x" }] },
  ];

  const counts: number[] = [];
  for (let ticks = 0; ticks < 6; ticks += 1) {
    await stage.tick();
    counts.push(stage.exchanged.length);
  }

  expect(counts).toEqual([1, 1, 1, 1, 2, 2]);
  expect(stage.exchanged[0]).toEqual(new Map([["context", [ADA]]]));
  expect(subscribers.listClients()).toEqual([ADA, BOB]);
  expect(subscribers.countClients()).toBe(3);
  expect(stage.hosts.map(({ log }) => log.subscribers.isUsedElsewhere)).toEqual([true, false]);
});

test("an instance without clients and without running turns asks nothing of the store [SRV-27]", async () => {
  const stage = openStage();

  await stage.tick(5);

  expect([stage.exchanged, stage.published, stage.removed, stage.asked]).toEqual([[], [], [], []]);
});

test("new output of an owned session is published while another instance has its clients [SRV-27]", async () => {
  const stage = openStage();
  const { log } = stage.host;
  announce(log, outputOf());
  log.publishLive(outputOf({ liveContent: "alone" }));
  await stage.tick();
  const alone = stage.published.length;
  log.subscribers.setElsewhere([null]);
  log.publishLive(outputOf({ liveContent: "one" }));
  log.publishLive(outputOf({ liveContent: "two" }));
  log.publishLive(outputOf({ toolCallId: "other", liveContent: "x" }));

  await stage.tick(2);
  const first = stage.published.slice();
  log.publishLive(outputOf({ liveContent: "three" }));
  await stage.tick();

  expect(alone).toBe(0);
  expect(first).toEqual([
    [
      { contextId: "context", toolCallId: "call-1", event: outputOf({ liveContent: "two" }) },
      {
        contextId: "context",
        toolCallId: "other",
        event: outputOf({ toolCallId: "other", liveContent: "x" }),
      },
    ],
  ]);
  expect(stage.published.slice(1)).toEqual([
    [{ contextId: "context", toolCallId: "call-1", event: outputOf({ liveContent: "three" }) }],
  ]);
  expect(stage.removed).toEqual([]);
});

test("published output is removed once when its call has ended, and later output is published again [SRV-27]", async () => {
  const stage = openStage();
  const { log } = stage.host;
  log.subscribers.setElsewhere([BOB]);
  announce(log, outputOf());
  await stage.tick();
  const before = stage.removed.slice();
  log.publishLive(outputOf({ liveContent: "one" }));
  await stage.tick();
  announce(log, outputOf({ status: "SUCCEEDED" }));

  await stage.tick(3);
  const removed = stage.removed.slice();
  log.publishLive(outputOf({ toolCallId: "next", liveContent: "two" }));
  await stage.tick();

  expect([before, removed]).toEqual([[], ["context"]]);
  expect(stage.published.map((outputs) => outputs.map(({ toolCallId }) => toolCallId))).toEqual([
    ["call-1"],
    ["next"],
  ]);
});

test("output of more than 64 Ki characters, and of sessions of other instances, is not published [SRV-27]", async () => {
  const stage = openStage(["context", "followed"]);
  for (const { log } of stage.hosts) log.subscribers.setElsewhere([BOB]);
  Object.assign(stage.hosts[1] ?? {}, { isOwned: false });
  const { length } = JSON.stringify(outputOf({ liveContent: "" }));
  const fill = (toolCallId: string, characters: number) =>
    outputOf({ toolCallId, liveContent: "x".repeat(64 * 1024 - length + characters) });
  stage.host.log.publishLive(fill("call-1", 0));
  stage.host.log.publishLive(fill("call-2", 1));
  stage.hosts[1]?.log.publishLive(outputOf({ liveContent: "x" }));

  await stage.tick();

  expect(stage.published.flat().map(({ toolCallId }) => toolCallId)).toEqual(["call-1"]);
});

test("a follower shows output of open calls once, and again when its revision has changed [SRV-27]", async () => {
  const stage = openStage();
  stage.host.isOwned = false;
  const { log } = stage.host;
  log.subscribers.add(() => {});
  announce(log, { ...outputOf(), state: "submitted" });
  announce(log, outputOf({ toolCallId: "ended", status: "SUCCEEDED" }));
  const shared = (contextId: string, toolCallId: string, revision: number) => ({
    contextId,
    toolCallId,
    revision,
    event: outputOf({ toolCallId, liveContent: `${revision}` }),
  });
  stage.outputs = [
    shared("context", "call-1", 1),
    shared("context", "ended", 1),
    shared("elsewhere", "call-1", 9),
  ];

  await stage.tick(2);
  stage.outputs = [shared("context", "call-1", 2)];
  await stage.tick();

  expect(stage.asked).toEqual([["context"], ["context"], ["context"]]);
  expect(stage.shown).toEqual([outputOf({ liveContent: "1" }), outputOf({ liveContent: "2" })]);
});

test.each([
  ["that this instance holds", { isOwned: true, isFollowed: true, isBusy: true }],
  ["without subscribers", { isOwned: false, isFollowed: false, isBusy: true }],
  ["without a running turn", { isOwned: false, isFollowed: true, isBusy: false }],
])("no output is read for a session %s [SRV-27]", async (_, { isOwned, isFollowed, isBusy }) => {
  const stage = openStage();
  stage.host.isOwned = isOwned;
  if (isFollowed) stage.host.log.subscribers.add(() => {});
  if (isBusy) announce(stage.host.log, outputOf());

  await stage.tick(2);

  expect(stage.asked).toEqual([]);
});

test("updates do not overlap, a close waits for the running one, and then nothing is shared", async () => {
  const stage = openStage();
  stage.host.log.subscribers.add(() => {});
  let end = () => {};
  stage.waitFor = new Promise((resolve) => {
    end = resolve;
  });
  stage.sharer.start();

  await stage.tick(9);
  const during = stage.exchanged.length;
  let isClosed = false;
  const closing = stage.sharer.close().then(() => {
    isClosed = true;
  });
  await stage.settle();
  const early = isClosed;
  end();
  await closing;
  await stage.tick(9);

  expect([during, early, stage.exchanged.length]).toEqual([1, false, 1]);
});

test("a fault of the store ends one update, and the next update tries again", async () => {
  const stage = openStage();
  stage.host.log.subscribers.add(() => {});
  stage.waitFor = Promise.reject(new Error("the store is away"));
  stage.waitFor.catch(() => {});

  await stage.tick(2);
  stage.waitFor = Promise.resolve();
  await stage.tick();

  expect(stage.exchanged).toHaveLength(3);
});

test("an update has ended only when the output of other instances was read and shown", async () => {
  const stage = openStage();
  stage.host.isOwned = false;
  stage.host.log.subscribers.add(() => {});
  announce(stage.host.log, { ...outputOf(), state: "submitted" });
  const event = outputOf({ liveContent: "1" });
  stage.outputs = [{ contextId: "context", toolCallId: "call-1", revision: 1, event }];
  let answer = () => {};
  stage.waitForRead = new Promise((resolve) => {
    answer = resolve;
  });

  await stage.tick(3);
  const asked = stage.asked.length;
  let isClosed = false;
  const closing = stage.sharer.close().then(() => {
    isClosed = true;
  });
  await stage.settle();
  const early = isClosed;
  answer();
  await closing;

  expect([asked, early]).toEqual([1, false]);
  expect(stage.shown).toEqual([event]);
});
