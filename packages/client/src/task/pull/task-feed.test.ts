import { emptyTaskView, reduceTaskView, type SessionEvent, type TaskView } from "@dt/schema";
import { buildEvent } from "@dt/schema/testing";
import { expect, test } from "vitest";
import { createTaskFeed, type TaskFeed } from "./task-feed.js";

const said = (text: string) => buildEvent({ kind: "TEXT_CONTENT", text });
const thought = (subject: string) =>
  buildEvent({ kind: "THOUGHT", thought: { subject, description: "" } });
const viewOf = (...events: readonly SessionEvent[]): TaskView =>
  events.reduce(reduceTaskView, emptyTaskView("task-1", "context-1"));

function read(feed: TaskFeed, after: string | undefined): unknown[] {
  return feed
    .read(after)
    .map((update) => (update.type === "snapshot" ? "snapshot" : update.event.cursor));
}

test("isKnown is true after the first event, and read() returns the events after any cursor", () => {
  const feed = createTaskFeed("task-1");
  expect(feed.isKnown).toBe(false);

  for (const text of ["a", "b", "c"]) feed.add(said(text));

  expect(feed.isKnown).toBe(true);
  expect(feed.view).toMatchObject({ cursor: "3.here", items: [{ event: { text: "abc" } }] });
  expect(read(feed, undefined)).toEqual(["snapshot"]);
  expect(read(feed, "1.here")).toEqual(["2.here", "3.here"]);
  expect(read(feed, "3.here")).toEqual([]);
});

test.each(["4.here", "x", "1", "1.here.more"])(
  "a feed refuses the cursor %s, which it did not create",
  (cursor) => {
    const feed = createTaskFeed("task-1");
    for (const text of ["a", "b", "c"]) feed.add(said(text));

    expect(() => feed.read(cursor)).toThrow(expect.objectContaining({ code: "cursor-not-found" }));
  },
);

test("the first snapshot becomes the view, and a later snapshot adds the events that were missed", () => {
  const feed = createTaskFeed("task-1");

  feed.addSnapshot(viewOf(said("a")));
  const first = feed.view;
  feed.addSnapshot(viewOf(said("ab"), thought("t")));

  expect(first).toMatchObject({ cursor: "0.here", items: [{ event: { text: "a" } }] });
  expect(feed.read("0.here")).toMatchObject([
    { event: { kind: "TEXT_CONTENT", text: "b" } },
    { event: { kind: "THOUGHT" } },
  ]);
  expect(feed.view.cursor).toBe("2.here");
});

test("a snapshot without history only changes the state", () => {
  const feed = createTaskFeed("task-1");
  feed.add(said("a"));

  feed.addSnapshot({ ...viewOf(), state: "completed" });

  expect(feed.view.items).toHaveLength(1);
  expect(feed.read("1.here")).toMatchObject([
    { event: { kind: "STATE_CHANGE", state: "completed" } },
  ]);
});

test("an artifact that was missed becomes one event before the end of the task", () => {
  const feed = createTaskFeed("task-1");
  feed.add(said("a"));
  const artifact = { artifactId: "report", parts: [{ type: "text" as const, text: "done" }] };
  const snapshot = { ...viewOf(said("a")), artifacts: [artifact], state: "completed" as const };

  feed.addSnapshot(snapshot);
  feed.addSnapshot(snapshot);

  expect(feed.read("1.here")).toMatchObject([
    { event: { kind: "ARTIFACT", artifact, state: "working" } },
    { event: { kind: "STATE_CHANGE", state: "completed" } },
  ]);
  expect(feed.view.artifacts).toEqual([artifact]);
});

test("more artifacts than a view keeps become events only once", () => {
  const feed = createTaskFeed("task-1");
  feed.add(said("a"));
  const artifacts = Array.from({ length: 201 }, (_, index) => ({
    artifactId: `report-${index}`,
    parts: [{ type: "text" as const, text: "done" }],
  }));
  const snapshot = { ...viewOf(said("a")), artifacts };

  feed.addSnapshot(snapshot);
  feed.addSnapshot(snapshot);
  feed.addSnapshot(snapshot);

  expect(read(feed, "1.here")).toHaveLength(201);
  expect(feed.view.artifacts).toHaveLength(200);
});

test("after a snapshot without a known item, read() returns that snapshot for every earlier cursor", () => {
  const feed = createTaskFeed("task-1");
  feed.add(thought("known"));
  feed.add(thought("too"));

  feed.addSnapshot(viewOf(thought("other")));

  expect(feed.view.cursor).toBe("3.here");
  expect(read(feed, "1.here")).toEqual(["snapshot"]);
  expect(read(feed, "2.here")).toEqual(["snapshot"]);
  expect(read(feed, "3.here")).toEqual([]);
  feed.add(said("on"));
  expect(read(feed, "3.here")).toEqual(["4.here"]);
});

test("a feed keeps its last 2,000 events, and read() returns a snapshot for an older cursor", () => {
  const feed = createTaskFeed("task-1");

  for (let count = 0; count < 4_000; count += 1) feed.add(said("x"));

  expect(read(feed, "1999.here")).toEqual(["snapshot"]);
  expect(read(feed, "2000.here")).toHaveLength(2_000);
});

test("the error for an unknown cursor contains only its first 64 characters", () => {
  const feed = createTaskFeed("task-1");
  const message = (count: number) => expect.stringContaining(`"${"x".repeat(count)}"`);

  expect(() => feed.read("x".repeat(64))).toThrow(
    expect.objectContaining({ message: message(64) }),
  );
  expect(() => feed.read("x".repeat(65))).toThrow(
    expect.objectContaining({ message: message(64) }),
  );
});
