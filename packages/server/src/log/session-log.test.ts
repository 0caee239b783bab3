import type { LedgerEntry, StampedEvent, TaskState, ToolCall } from "@dt/schema";
import { buildToolCall } from "@dt/schema/testing";
import { expect, test } from "vitest";
import type { Commit } from "../store/commit.js";
import { CommitUnknown, createGroupCommit } from "../store/group-commit.js";
import { LeaseLost } from "../store/lease.js";
import { openMemoryStore } from "../store/memory/open-memory-store.js";
import type { PushRecord } from "../store/push-record.js";
import type { EventQuery } from "../store/session-store.js";
import { StoreFault } from "../store/store-fault.js";
import { openSessionLedger } from "./session-ledger.js";
import { openSessionLog } from "./session-log.js";
import { pullBatches } from "./subscribers/pull-batches.js";
import { encodeSavedView } from "./views/saved-view.js";

const session = {
  contextId: "context",
  owner: "alice",
  settings: { workspacePath: "/", allowedTools: [], mcpServers: {} },
  createdAt: "2026-01-01T00:00:00.000Z",
};

const say = (text: string, state: TaskState = "working", taskId = "task"): LedgerEntry => ({
  events: [{ kind: "TEXT_CONTENT", text, taskId, turn: 1, state, at: session.createdAt }],
});

const callEvent = (toolCall: ToolCall, taskId = "task"): StampedEvent => ({
  kind: "TOOL_CALL_UPDATE",
  toolCall,
  taskId,
  turn: 1,
  state: "working",
  at: session.createdAt,
});

/** Opens a log on a memory store. A test can inspect its reads and refuse its commits. */
function openTestLog() {
  const store = openMemoryStore();
  const reads: EventQuery[] = [];
  const busy: boolean[] = [];
  const failures: unknown[] = [];
  const committed: Commit[] = [];
  const measured: number[] = [];
  const disk = { isFull: false };
  const commits = createGroupCommit({
    store: {
      ...store,
      async commit(group) {
        if (disk.isFull) throw new Error("disk full");
        return await store.commit(group);
      },
    },
  });
  const log = openSessionLog({
    session,
    lastPosition: 0,
    store: {
      ...store,
      readEvents(query) {
        reads.push(query);
        return store.readEvents(query);
      },
    },
    onBusyChange: (isBusy) => busy.push(isBusy),
  });
  const lost = new AbortController();
  const ledger = openSessionLedger({
    session,
    log,
    lease: { epoch: 1, lost: lost.signal },
    head: undefined,
    queue: commits.openQueue(),
    onCommitted: (events) => measured.push(events.length),
    onAnnounced: (commit) => committed.push(commit),
    onFailure: (reason) => failures.push(reason),
  });
  return { log, ledger, store, reads, busy, failures, committed, measured, disk, lost };
}

test("an append becomes visible when it is committed [LOG-01]", async () => {
  const { log, ledger, store } = openTestLog();

  const appended = ledger.append(say("a"));
  const before = { lastPosition: log.lastPosition, read: await log.read(0) };
  const position = await appended;

  expect(before).toEqual({ lastPosition: 0, read: [] });
  expect(position).toBe(0);
  expect((await log.read(0)).map((logged) => logged.position)).toEqual([1]);
  expect((await store.findSession("context"))?.lastPosition).toBe(1);
});

test("a log is busy while one of its tasks is submitted or working", async () => {
  const { log, ledger, busy } = openTestLog();

  await ledger.append(say("a"));
  await ledger.append(say("b", "submitted", "other"));
  await ledger.append(say("c", "completed"));
  const isStillBusy = log.isBusy;
  await ledger.append(say("d", "input-required", "other"));

  expect(isStillBusy).toBe(true);
  expect(busy).toEqual([true, false]);
});

test("a log with an open question is not busy, even if prompts are queued [SRV-10]", async () => {
  const { log, ledger, busy } = openTestLog();
  const header = { turn: 1, at: session.createdAt };
  const change = (taskId: string, state: TaskState, waiting: readonly ToolCall[] = []) =>
    ledger.append({ events: [{ kind: "STATE_CHANGE", taskId, state, waiting, ...header }] });
  const queue = (taskId: string, state: TaskState) =>
    ledger.append({ events: [{ kind: "QUEUE", prompts: [], taskId, state, ...header }] });

  await change("asks", "working");
  await change("asks", "input-required", [buildToolCall()]);
  await queue("waits", "submitted");
  await queue("asks", "input-required");
  const isBusy = log.isBusy;
  await ledger.append(say("answered", "working", "asks"));
  await change("asks", "completed");
  await change("waits", "working");
  await change("waits", "completed");

  expect(isBusy).toBe(false);
  expect(busy).toEqual([true, false, true, false]);
});

test("events are read from memory while the log has a subscriber, and then from the store [LOG-04]", async () => {
  const { log, ledger, reads } = openTestLog();
  const unsubscribe = log.subscribers.add(() => {});
  await ledger.append(say("a"));
  await ledger.append(say("b", "completed"));

  const watched = await log.read(0);
  const readsWhileWatched = reads.length;
  unsubscribe();
  const unwatched = await log.read(0);

  expect(watched.map(({ position }) => position)).toEqual([1, 2]);
  expect(readsWhileWatched).toBe(0);
  expect(unwatched.map(({ position }) => position)).toEqual([1, 2]);
  expect(reads).toHaveLength(1);
});

test.each([
  ["5,000 small events", 5_000, "x"],
  ["40 large events", 40, "x".repeat(100_000)],
])(
  "the last of %s are read from memory, and the first ones from the store [LOG-04]",
  async (_case, count, text) => {
    const { log, ledger, reads } = openTestLog();
    const unsubscribe = log.subscribers.add(() => {});
    await Promise.all(Array.from({ length: count }, () => ledger.append(say(text))));

    const last = await log.read(count - 2);
    const readsOfLast = reads.length;
    const first = await log.read(0);

    expect(last.map(({ position }) => position)).toEqual([count - 1, count]);
    expect(readsOfLast).toBe(0);
    expect(first[0]?.position).toBe(1);
    expect(reads).toHaveLength(1);
    unsubscribe();
  },
);

test("a view that is read while events are added contains each event once", async () => {
  const { log, ledger } = openTestLog();
  await ledger.append(say("a"));

  const [view] = await Promise.all([
    log.view("task"),
    ledger.append(say("b")),
    ledger.append(say("c")),
  ]);
  const later = await log.view("task");

  const texts = [view, later].map(({ items }) =>
    items.map(({ event }) => "text" in event && event.text),
  );
  expect(texts[0]?.[0]).toMatch(/^abc?$|^a$/);
  expect(texts[1]).toEqual(["abc"]);
});

test("a log is closed when a commit fails, and shows no more events [LOG-01]", async () => {
  const { log, ledger, disk, failures, store } = openTestLog();
  await ledger.append(say("a"));
  const batches = pullBatches(log, 1, new AbortController().signal);
  const ended = batches.next();

  disk.isFull = true;
  const lost = ledger.append(say("b"));
  const after = ledger.append(say("c"));
  await expect(lost).rejects.toThrow("could not be stored");
  await expect(after).rejects.toThrow("could not be stored");
  disk.isFull = false;

  await expect(ledger.append(say("d"))).rejects.toMatchObject({ code: "agent-busy" });
  await expect(ended).rejects.toMatchObject({ code: "agent-busy" });
  expect(log.lastPosition).toBe(1);
  expect(failures).toHaveLength(1);
  expect((await store.findSession("context"))?.lastPosition).toBe(1);
});

test("a subscriber gets every event once, and live output as it arrives [LOG-02]", async () => {
  const { log, ledger } = openTestLog();
  const gone = new AbortController();
  const batches = pullBatches(log, 0, gone.signal);
  const first = batches.next();
  await ledger.append(say("a"));
  const call: StampedEvent = {
    kind: "TOOL_CALL_UPDATE",
    toolCall: {
      toolCallId: "call",
      toolName: "t",
      status: "EXECUTING",
      inputParameters: {},
      result: undefined,
      liveContent: "1",
    },
    taskId: "task",
    turn: 1,
    state: "working",
    at: session.createdAt,
  };

  const seen = (await first).value;
  const second = batches.next();
  log.publishLive(call);
  const live = (await second).value;
  const third = batches.next();
  gone.abort();

  expect(seen?.events.map(({ position }) => position)).toEqual([1]);
  expect(live).toMatchObject({ events: [], live: [{ event: { toolCall: { liveContent: "1" } } }] });
  expect(await third).toEqual({ done: true, value: undefined });
  expect(log.subscribers.size).toBe(0);
});

const push: PushRecord = {
  taskId: "task",
  configId: "config",
  contextId: "context",
  revision: "1",
  target: {
    url: "https://example.com",
    version: "1.0",
    developmentTool: false,
    session: false,
    allEvents: false,
  },
  progress: { after: 0, isTaskDue: false, attempts: 0, failures: 0, hasGivenUp: false },
};
const receipt = { user: "alice", messageId: "message", taskId: "task", turn: 1 };

test("an attached push config is committed with its message [RFC-03]", async () => {
  const { log, ledger, store, committed } = openTestLog();
  await ledger.append(say("before"));

  const detach = log.pushes.attach(receipt, push);
  await ledger.append(say("of another message"));
  const before = await store.listPushes("task");
  await ledger.append({ ...say("of this one"), receipt });
  const isCommitted = detach();
  const after = await store.listPushes("task");

  expect(before).toEqual([]);
  expect(isCommitted).toBe(true);
  expect(after).toEqual([{ ...push, progress: { ...push.progress, after: 2 } }]);
  expect(committed.map((commit) => commit.push?.configId)).toEqual([
    undefined,
    undefined,
    "config",
  ]);
});

test("a push config is dropped if its message was not committed", async () => {
  const { log, ledger, store } = openTestLog();

  const detach = log.pushes.attach(receipt, push);
  const isCommitted = detach();
  await ledger.append({ ...say("later"), receipt });

  expect(isCommitted).toBe(false);
  expect(await store.listPushes("task")).toEqual([]);
});

test("a push config is not attached to the message of another user", async () => {
  const { log, ledger, store } = openTestLog();

  log.pushes.attach({ ...receipt, user: "mallory" }, push);
  await ledger.append({ ...say("hello"), receipt });

  expect(await store.listPushes("task")).toEqual([]);
});

test("every commit contains its epoch, its number and the head before the commit [LOG-01]", async () => {
  const { ledger, committed, store } = openTestLog();

  await Promise.all([ledger.append(say("a")), ledger.append({ events: [], journal: [{ a: 1 }] })]);
  await ledger.append(say("b"));

  const fences = committed.map(({ epoch, number, expectedHead }) => [epoch, number, expectedHead]);
  expect(fences).toEqual([
    [1, 1, 0],
    [1, 2, 1],
    [1, 3, 1],
  ]);
  expect(await store.findSession("context")).toMatchObject({ commitNumber: 3, lastPosition: 2 });
});

test("a log is closed when its lease is lost [LOG-01]", async () => {
  const { log, ledger, lost, failures } = openTestLog();
  await ledger.append(say("a"));

  lost.abort(new Error("taken over"));

  expect(log.isClosed).toBe(true);
  expect(failures).toMatchObject([{ message: "taken over" }]);
  await expect(ledger.append(say("b"))).rejects.toMatchObject({ code: "agent-busy" });
});

test("a cursor is located only if its event is in the log [LOG-02]", async () => {
  const { log, ledger } = openTestLog();
  await ledger.append(say("a"));
  await ledger.append(say("b"));
  const cursor = await log.cursorAt(1);
  const at = (position: number, epoch: number) => log.cursors.encode({ position, epoch });

  expect(log.cursors.decode(cursor)).toEqual({ position: 1, epoch: 1 });
  expect(await log.locate(cursor)).toBe(1);
  expect(await log.locate("0")).toBe(0);
  for (const wrong of [at(1, 2), at(1, 0), at(3, 1)]) {
    await expect(log.locate(wrong)).rejects.toMatchObject({ code: "cursor-not-found" });
  }
});

test("events are read from memory while the session is busy, and then from the store [LOG-04]", async () => {
  const { log, ledger, reads } = openTestLog();

  await ledger.append(say("a"));
  const whileBusy = await log.read(0);
  const readsWhileBusy = reads.length;
  await ledger.append(say("b", "completed"));
  await log.read(2);
  const readsAtTheEnd = reads.length;
  await log.read(0);

  expect(whileBusy.map(({ position }) => position)).toEqual([1]);
  expect([readsWhileBusy, readsAtTheEnd]).toEqual([0, 0]);
  expect(reads).toEqual([{ contextId: "context", after: 0, limit: 256, maxBytes: 262_144 }]);
});

test("a page from memory has at most 256 events [LOG-04]", async () => {
  const { log, ledger, reads } = openTestLog();
  await Promise.all(Array.from({ length: 300 }, () => ledger.append(say("x"))));

  expect((await log.read(0)).map(({ position }) => position)).toEqual(
    Array.from({ length: 256 }, (_, index) => index + 1),
  );
  expect(reads).toEqual([]);
});

test("the view of a task at a position is folded from a saved view before this position", async () => {
  const { log, ledger, store, reads } = openTestLog();
  await Promise.all(Array.from({ length: 300 }, () => ledger.append(say("x"))));
  const lengthAt = async (position: number) =>
    (await log.viewAt("task", position)).items.map(
      ({ event }) => "text" in event && event.text.length,
    );

  const before = [await lengthAt(280), await lengthAt(300)];
  const view = await log.viewAt("task", 290);
  await store.saveView(encodeSavedView({ view, position: 290, transitions: [] }));
  reads.length = 0;

  expect(before).toEqual([[280], [300]]);
  expect([await lengthAt(280), await lengthAt(290)]).toEqual([[280], [290]]);
  expect(reads.map(({ after }) => after)).toEqual([0, 256, 290]);
});

test("the view of a new task is folded without reading the store", async () => {
  const { log, ledger, reads } = openTestLog();
  await ledger.append(say("a", "submitted"));
  await ledger.append(say("b"));

  const view = await log.view("task");

  expect(view.items).toMatchObject([{ event: { text: "ab" } }]);
  expect(reads).toEqual([]);
});

test("a second event with the state submitted does not reset the view of its task", async () => {
  const { ledger, store } = openTestLog();
  await ledger.append(say("a", "submitted"));
  const pending = { unfinished: ["task"], asking: [] };
  const log = openSessionLog({ session, lastPosition: 1, pending, store });
  const more = say("b", "submitted").events[0];
  if (more === undefined) throw new Error("there is no event");

  await store.commit([
    {
      contextId: "context",
      epoch: 1,
      number: 2,
      expectedHead: 1,
      events: [{ position: 2, epoch: 1, event: more }],
      journal: [],
      isCritical: false,
    },
  ]);
  log.announce([{ position: 2, epoch: 1, event: more }]);

  expect((await log.view("task")).items).toMatchObject([{ event: { text: "ab" } }]);
  expect((await log.viewAt("task", 1)).items).toMatchObject([{ event: { text: "a" } }]);
});

test("a commit without events does not notify subscribers and does not call onCommitted", async () => {
  const { log, ledger, committed, measured } = openTestLog();
  let notified = 0;
  log.subscribers.add(() => {
    notified += 1;
  });

  await ledger.append({ events: [], journal: [{ a: 1 }] });
  const before = [log.version, notified, committed.length];
  await ledger.append({ events: [...say("a").events, ...say("b").events] });

  expect(before).toEqual([0, 0, 1]);
  expect([log.version, notified, committed.length]).toEqual([1, 1, 2]);
  expect(measured).toEqual([2]);
});

test("closing a log notifies its subscribers once, and later events are ignored", async () => {
  const { log, ledger } = openTestLog();
  await ledger.append(say("a"));
  let notified = 0;
  log.subscribers.add(() => {
    notified += 1;
  });

  log.close();
  log.close();
  log.publishLive(callEvent(buildToolCall({ status: "EXECUTING" })));
  log.announce([{ position: 2, epoch: 1, event: callEvent(buildToolCall()) }]);

  expect([notified, log.live.size, log.lastPosition]).toEqual([1, 0, 1]);
  expect(await log.read(0)).toHaveLength(1);
});

test("the live output of a call is part of its task's view until the call ends", async () => {
  const { log, ledger } = openTestLog();
  const running = buildToolCall({ toolCallId: "call", status: "EXECUTING" });
  await ledger.append({ events: [callEvent(running), ...say("b", "working", "other").events] });

  log.publishLive(callEvent({ ...running, liveContent: "half" }));
  log.publishLive({
    ...callEvent(running),
    kind: "TEXT_CONTENT",
    text: "no output",
  } as StampedEvent);
  const whileRunning = [await log.view("task"), await log.view("other")].map(
    ({ items }) => items.filter(({ event }) => JSON.stringify(event).includes("half")).length,
  );
  await ledger.append({
    events: [callEvent(buildToolCall({ toolCallId: "x", status: "FAILED" }))],
  });
  await ledger.append({ events: [callEvent(running)] });
  const before = log.live.size;
  await ledger.append({ events: [callEvent({ ...running, status: "CANCELLED" })] });

  expect(whileRunning).toEqual([1, 0]);
  expect([before, log.live.size]).toEqual([1, 0]);
});

test("the dialect of a new task is committed with the task", async () => {
  const { log, ledger, committed, store } = openTestLog();
  log.newDialects.set("other", "guide");

  await ledger.append(say("a"));
  await ledger.append({ events: [...say("b").events, ...say("c", "working", "other").events] });

  expect(committed.map(({ dialect }) => dialect)).toEqual([
    undefined,
    { taskId: "other", name: "guide" },
  ]);
  expect((await store.findTask("other"))?.dialect).toBe("guide");
});

test("the reply to a request of another instance is committed with its message [SRV-27]", async () => {
  const { log, ledger, committed } = openTestLog();
  await ledger.append(say("before"));
  const toReply = (ticket: { readonly afterPosition: number }) =>
    ({ type: "ticket", ticket: { taskId: "task", turn: 1, ...ticket } }) as const;

  const detach = log.replies.attach(receipt, {
    requestId: "request",
    toReply: ({ afterPosition }) => toReply({ afterPosition }),
  });
  await ledger.append(say("of another message"));
  await ledger.append({ ...say("of this one"), receipt });

  expect(detach()).toBe(true);
  expect(committed.map(({ answered }) => answered)).toEqual([
    undefined,
    undefined,
    { requestId: "request", reply: toReply({ afterPosition: 2 }) },
  ]);
});

test("the live output of the agent reaches subscribers, and is not stored", async () => {
  const { log, ledger, store } = openTestLog();
  await ledger.append({ events: [callEvent(buildToolCall({ status: "EXECUTING" }))] });
  let notified = 0;
  log.subscribers.add(() => {
    notified += 1;
  });

  ledger.publishLive(callEvent(buildToolCall({ status: "EXECUTING", liveContent: "half" })));

  expect([notified, log.live.size]).toEqual([1, 1]);
  expect(await store.readEvents({ contextId: "context", after: 0, limit: 9 })).toHaveLength(1);
});

test("the cursor of a position has the epoch of its event", async () => {
  const { log, ledger } = openTestLog();
  await ledger.append(say("one"));

  const cursors = [await log.cursorAt(0), await log.cursorAt(1), await log.cursorAt(9)];

  expect(cursors.map((cursor) => log.cursors.decode(cursor))).toEqual([
    { position: 0, epoch: 0 },
    { position: 1, epoch: 1 },
    { position: 9, epoch: 0 },
  ]);
});

test.each([
  ["a fault of the store", new StoreFault("disk-full", "the disk is full")],
  ["a lost lease", new LeaseLost("context")],
  ["a commit of unknown outcome", new CommitUnknown("context", new Error("away"))],
])(
  "an append that is refused because of %s rejects with that reason [LOG-01]",
  async (_, reason) => {
    const { ledger, failures, log } = openRefusedLog(reason);

    await expect(ledger.append(say("lost"))).rejects.toBe(reason);
    await expect(ledger.append(say("late"))).rejects.toMatchObject({
      code: "agent-busy",
      message: "the session is closing; send the message again",
    });
    expect([failures, log.isClosed]).toEqual([[reason], true]);
  },
);

test("an append that is refused for another reason tells the client that it had no effect [LOG-01]", async () => {
  const reason = new Error("broken");
  const { ledger, failures } = openRefusedLog(reason);

  await expect(ledger.append(say("lost"))).rejects.toMatchObject({
    code: "internal",
    message: "this step could not be stored and had no effect; send the message again",
    cause: reason,
  });
  expect(failures).toEqual([reason]);
});

/** Opens a log whose commits are refused with a reason. */
function openRefusedLog(reason: unknown) {
  const failures: unknown[] = [];
  const log = openSessionLog({ session, lastPosition: 0, store: openMemoryStore() });
  const ledger = openSessionLedger({
    session,
    log,
    lease: { epoch: 1, lost: new AbortController().signal },
    head: undefined,
    queue: { add: (_commit, { onRefused }) => onRefused(reason) },
    onFailure: (failure) => failures.push(failure),
  });
  return { log, ledger, failures };
}
