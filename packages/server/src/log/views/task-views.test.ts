import { emptyTaskView, reduceTaskView, type SessionEvent, type StampedEvent } from "@dt/schema";
import { buildEvent } from "@dt/schema/testing";
import { expect, test } from "vitest";
import type { StoredView } from "../../store/session-store.js";
import { toLoggedEvent } from "../logged-event.js";
import { decodeSavedView, encodeSavedView } from "./saved-view.js";
import { createTaskViews, type StoredEvents } from "./task-views.js";

const nothing: StoredEvents = {
  pageSize: 1,
  lastPosition: () => 0,
  read: async () => [],
  findView: async () => undefined,
};
const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`;

const logged = (event: SessionEvent, index: number) => {
  const { contextId: _, cursor: __, ...stamped } = event;
  const header = { contextId: "context-1", cursor: `${index + 1}` };
  return toLoggedEvent(
    { position: index + 1, event: { ...stamped, turn: 1 } as StampedEvent },
    header,
  );
};

test("folding joined text results in the same view as folding each text event", async () => {
  const usage = { inputTokens: 1, outputTokens: 1, thoughtTokens: 0, cachedTokens: 0 };
  const say = (text: string, header = {}) => buildEvent({ kind: "TEXT_CONTENT", text }, header);
  const events = [
    buildEvent({ kind: "STATE_CHANGE" }, { state: "working" }),
    say("a", { at: at(1) }),
    say("b", { at: at(2), model: "one" }),
    say("c", { usage }),
    say("d"),
    buildEvent({ kind: "CONSOLE_LOG", log: { type: "info", content: "x" } }),
    say("e", { at: at(3) }),
    say("f", { at: at(4) }),
    buildEvent({ kind: "STATE_CHANGE" }, { state: "completed" }),
    say("g"),
  ].map(logged);
  const views = createTaskViews("context-1");
  views.track("task-1");

  for (const event of events) views.add(event);
  const view = await views.get("task-1", nothing);

  const one = events.reduce(
    (folded, { event }) => reduceTaskView(folded, event),
    emptyTaskView("task-1", "context-1"),
  );
  expect(view).toEqual(one);
});

test("a growing view of a task is saved less and less often, and read from the last save [LOG-04]", async () => {
  const text = "x".repeat(100);
  const events = Array.from({ length: 9_000 }, (_, index) =>
    logged(buildEvent({ kind: "TEXT_CONTENT", text }), index),
  );
  const saved: StoredView[] = [];
  const views = createTaskViews("context-1", {
    saveView(view) {
      saved.push(encodeSavedView(view));
      return saved.at(-1)?.json.length ?? 0;
    },
  });
  views.track("task-1");
  for (const event of events) views.add(event);
  const whole = await views.get("task-1", nothing);

  const reads: number[] = [];
  const again = await createTaskViews("context-1").get("task-1", {
    pageSize: 256,
    lastPosition: () => 9_000,
    findView: async () => decodeSavedView(saved.at(-1)),
    async read(_taskId, after) {
      reads.push(after);
      return events.slice(after, after + 256);
    },
  });

  expect(again).toEqual(whole);
  expect(reads[0]).toBe(saved.at(-1)?.position);
  const positions = saved.map(({ position }) => position);
  expect(positions.slice(0, 3)).toEqual([1_024, 2_304, 4_864]);
  expect(positions.length).toBeLessThan(6);
});

test("the changes of a task's state are kept with its view, and are read from the last save", async () => {
  const events = [
    buildEvent({ kind: "STATE_CHANGE" }, { state: "submitted", at: "1" }),
    buildEvent({ kind: "STATE_CHANGE" }, { state: "working", at: "2" }),
    buildEvent({ kind: "TEXT_CONTENT", text: "x" }, { state: "working", at: "3" }),
    buildEvent({ kind: "STATE_CHANGE" }, { state: "completed", at: "4" }),
  ].map(logged);
  const views = createTaskViews("context-1");
  views.track("task-1");
  for (const event of events) views.add(event);
  const transitions = await views.getTransitions("task-1", nothing);

  const saved = { view: emptyTaskView("task-1", "context-1"), position: 2, transitions };
  const later = createTaskViews("context-1").getTransitions("task-1", {
    ...nothing,
    findView: async () => decodeSavedView(encodeSavedView(saved)),
  });

  expect(transitions).toEqual([
    { state: "submitted", at: "1" },
    { state: "working", at: "2" },
    { state: "completed", at: "4" },
  ]);
  expect(await later).toEqual(transitions);
});

test("a saved view of another format is ignored", () => {
  const saved = { taskId: "t", contextId: "c", position: 3, json: '{"format":0,"view":{}}' };

  expect(decodeSavedView(saved)).toBeUndefined();
  expect(decodeSavedView(undefined)).toBeUndefined();
});

test("the least recently used view is dropped, and read again when it is needed", async () => {
  const reads: string[] = [];
  const stored: StoredEvents = {
    ...nothing,
    async findView(taskId) {
      reads.push(taskId);
      return undefined;
    },
  };
  const views = createTaskViews("context-1");
  const ids = Array.from({ length: 8 }, (_, index) => `task-${index}`);
  for (const id of ids) await views.get(id, stored);
  views.track("task-1");
  await views.get("task-0", stored);
  const first = [...reads];

  views.track("task-8");
  await views.get("task-0", stored);
  await views.get("task-8", stored);
  await views.get("task-1", stored);

  expect(first).toEqual(ids);
  expect(reads.slice(8)).toEqual(["task-1"]);
});

test("an event that the view already contains is not added again", async () => {
  const say = (index: number) =>
    logged(buildEvent({ kind: "TEXT_CONTENT", text: `${index}` }), index);
  const views = createTaskViews("context-1");
  const stored: StoredEvents = {
    ...nothing,
    pageSize: 9,
    lastPosition: () => 2,
    read: async (_taskId, after) => [say(0), say(1)].slice(after),
  };
  await views.get("task-1", stored);

  for (const index of [0, 1, 2]) views.add(say(index));
  views.add({ ...say(3), event: { ...say(3).event, taskId: "not tracked" } });
  const view = await views.get("task-1", stored);

  expect(view.items).toMatchObject([{ event: { text: "012" } }]);
});

test("dropShort drops the view of a short task, and keeps the view of a long task", async () => {
  const events = Array.from({ length: 33 }, (_, index) =>
    logged(buildEvent({ kind: "TEXT_CONTENT", text: "x" }), index),
  );
  const reads: string[] = [];
  const stored: StoredEvents = {
    ...nothing,
    pageSize: 64,
    async read(taskId) {
      reads.push(taskId);
      return taskId === "long" ? events : events.slice(0, 32);
    },
  };
  const views = createTaskViews("context-1");
  const readAll = async () => [await views.get("long", stored), await views.get("short", stored)];
  const before = await readAll();

  views.dropShort();
  const after = await readAll();

  expect(after).toEqual(before);
  expect(reads).toEqual(["long", "short", "short"]);
});

test("dropShort keeps a view that was loaded from a saved view or has grown in memory", async () => {
  const reads: string[] = [];
  const stored: StoredEvents = {
    ...nothing,
    async findView(taskId) {
      reads.push(taskId);
      return { view: emptyTaskView(taskId, "context-1"), position: 1_024, transitions: [] };
    },
  };
  const views = createTaskViews("context-1");
  await views.get("saved", stored);
  views.track("task-1");
  for (let index = 0; index < 33; index += 1)
    views.add(logged(buildEvent({ kind: "TEXT_CONTENT", text: "x" }), index));

  views.dropShort();
  await views.get("saved", stored);
  await views.get("task-1", stored);

  expect(reads).toEqual(["saved"]);
});

test.each([
  [0, [1_024, 2_048]],
  [1_024 * 512, [1_024, 2_048]],
  [1_024 * 512 + 1, [1_024, 2_304]],
])(
  "a view of %d bytes is saved again after 1,024 or more events with at least that many bytes",
  (bytes, expected) => {
    const positions: number[] = [];
    const views = createTaskViews("context-1", {
      saveView({ position }) {
        positions.push(position);
        return bytes;
      },
    });
    views.track("task-1");

    // Each event that is not text counts as 512 bytes.
    for (let index = 0; index < 2_304; index += 1)
      views.add(logged(buildEvent({ kind: "STATE_CHANGE" }), index));

    expect(positions).toEqual(expected);
  },
);
