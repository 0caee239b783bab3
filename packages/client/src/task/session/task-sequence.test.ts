import { emptyTaskView, type TaskState, type TaskView } from "@dt/schema";
import { buildEvent } from "@dt/schema/testing";
import { expect, test } from "vitest";
import { createTaskSequence } from "./task-sequence.js";

const task = (taskId: string, state: TaskState, cursor?: string): TaskView => ({
  ...emptyTaskView(taskId, "context-1"),
  state,
  ...(cursor !== undefined && { cursor }),
});
const said = (text: string, cursor: string) =>
  ({
    type: "event",
    event: buildEvent({ kind: "TEXT_CONTENT", text }, { taskId: "one", cursor }),
  }) as const;

function openSequence(start: TaskView) {
  const sequence = createTaskSequence(start);
  let changes = 0;
  sequence.onChange(() => {
    changes += 1;
  });
  return { sequence, changes: () => changes };
}

test("the loop that is ahead advances the view, and the other loops only read", () => {
  const { sequence, changes } = openSequence(task("one", "working", "1"));
  const first = sequence.position;

  expect(sequence.apply(said("a", "2"), first)).toHaveLength(1);
  expect(sequence.apply(said("a", "2"), first)).toHaveLength(1);

  expect(sequence.view.items).toMatchObject([{ event: { text: "a" } }]);
  expect(sequence.position).toEqual({ index: 0, cursor: "2" });
  expect(changes()).toBe(1);
});

test("a snapshot yields missed events to the loop that is ahead, and none to other loops", () => {
  const { sequence } = openSequence(task("one", "working", "1"));
  const snapshot = { type: "snapshot", view: task("one", "completed", "9") } as const;

  expect(sequence.apply(snapshot, { index: 0, cursor: "0" })).toEqual([]);
  expect(sequence.view.state).toBe("working");
  expect(sequence.apply(snapshot, sequence.position)).toMatchObject([
    { kind: "STATE_CHANGE", state: "completed" },
  ]);
  expect(sequence.view).toBe(snapshot.view);
});

test("the view changes to a new task at once if the task before it has ended", () => {
  const { sequence, changes } = openSequence(task("one", "completed", "1"));

  sequence.add(task("two", "submitted", "7"));
  sequence.add(task("two", "working", "8"));

  expect(sequence.view).toMatchObject({ taskId: "two", state: "submitted" });
  expect(sequence.taskId).toBe("two");
  expect(sequence.position).toEqual({ index: 1, cursor: "7" });
  expect(sequence.findNext({ index: 1, cursor: "7" })).toBeUndefined();
  expect(changes()).toBe(1);
});

test("the view changes to a queued task when a loop reaches it", () => {
  const { sequence } = openSequence(task("one", "working", "1"));
  sequence.add(task("two", "submitted", "7"));
  sequence.add(task("three", "submitted", "9"));
  expect(sequence.view.taskId).toBe("one");

  expect(sequence.findNext({ index: 0, cursor: "0" })).toEqual({ index: 1, cursor: "7" });
  expect(sequence.view.taskId).toBe("one");
  expect(sequence.findNext({ index: 0, cursor: "1" })).toEqual({ index: 1, cursor: "7" });

  expect(sequence.view.taskId).toBe("two");
  expect(sequence.taskId).toBe("three");
  expect([0, 1, 2, 3].map((index) => sequence.taskAt({ index, cursor: undefined }))).toEqual([
    "one",
    "two",
    "three",
    "two",
  ]);
});

test("the view does not skip a task, even if the task of the view has ended", () => {
  const { sequence } = openSequence(task("one", "working", "1"));
  sequence.add(task("two", "submitted", "7"));
  sequence.apply({ type: "snapshot", view: task("one", "completed", "2") }, sequence.position);

  sequence.add(task("three", "submitted", "9"));

  expect(sequence.view.taskId).toBe("one");
});

test("showState changes the view unless an event arrived or another task follows", () => {
  const { sequence, changes } = openSequence(task("one", "input-required", "1"));
  const before = sequence.view;

  sequence.showState("working", task("one", "input-required", "1"));
  expect(changes()).toBe(0);
  sequence.showState("working", before);
  expect(sequence.view.state).toBe("working");
  sequence.add(task("two", "submitted", "7"));
  sequence.showState("completed", sequence.view);
  expect(sequence.view.state).toBe("working");
});

test("a loop in an earlier task does not advance the view, even if the cursors are equal", () => {
  const { sequence, changes } = openSequence(task("one", "completed", "7"));
  sequence.add(task("two", "submitted", "7"));
  const before = changes();

  sequence.apply(said("old", "8"), { index: 0, cursor: "7" });

  expect(sequence.view).toMatchObject({ taskId: "two", items: [] });
  expect(changes()).toBe(before);
});
