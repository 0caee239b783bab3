import { emptyTaskView, type TaskState, type TaskView } from "@dt/schema";
import { buildEvent } from "@dt/schema/testing";
import { expect, test } from "vitest";
import { createConversationTrail } from "./task-sequence.js";

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

function openTrail(start: TaskView) {
  const trail = createConversationTrail(start);
  let changes = 0;
  trail.onChange(() => {
    changes += 1;
  });
  return { trail, changes: () => changes };
}

test("the loop that is ahead advances the view, and the others only read", () => {
  const { trail, changes } = openTrail(task("one", "working", "1"));
  const first = trail.place;

  expect(trail.take(said("a", "2"), first)).toHaveLength(1);
  expect(trail.take(said("a", "2"), first)).toHaveLength(1);

  expect(trail.view.items).toMatchObject([{ event: { text: "a" } }]);
  expect(trail.place).toEqual({ leg: 0, cursor: "2" });
  expect(changes()).toBe(1);
});

test("a snapshot yields missed events to the loop that is ahead, and none to others", () => {
  const { trail } = openTrail(task("one", "working", "1"));
  const snapshot = { type: "snapshot", view: task("one", "completed", "9") } as const;

  expect(trail.take(snapshot, { leg: 0, cursor: "0" })).toEqual([]);
  expect(trail.view.state).toBe("working");
  expect(trail.take(snapshot, trail.place)).toMatchObject([
    { kind: "STATE_CHANGE", state: "completed" },
  ]);
  expect(trail.view).toBe(snapshot.view);
});

test("a task after one that ended is entered at once, and only once", () => {
  const { trail, changes } = openTrail(task("one", "completed", "1"));

  trail.add(task("two", "submitted", "7"));
  trail.add(task("two", "working", "8"));

  expect(trail.view).toMatchObject({ taskId: "two", state: "submitted" });
  expect(trail.taskId).toBe("two");
  expect(trail.place).toEqual({ leg: 1, cursor: "7" });
  expect(trail.findNext({ leg: 1, cursor: "7" })).toBeUndefined();
  expect(changes()).toBe(1);
});

test("a task after one that runs is entered when a loop reaches it", () => {
  const { trail } = openTrail(task("one", "working", "1"));
  trail.add(task("two", "submitted", "7"));
  trail.add(task("three", "submitted", "9"));
  expect(trail.view.taskId).toBe("one");

  expect(trail.findNext({ leg: 0, cursor: "0" })).toEqual({ leg: 1, cursor: "7" });
  expect(trail.view.taskId).toBe("one");
  expect(trail.findNext({ leg: 0, cursor: "1" })).toEqual({ leg: 1, cursor: "7" });

  expect(trail.view.taskId).toBe("two");
  expect(trail.taskId).toBe("three");
  expect([0, 1, 2, 3].map((leg) => trail.taskAt({ leg, cursor: undefined }))).toEqual([
    "one",
    "two",
    "three",
    "two",
  ]);
});

test("a task is not entered before an earlier one, even if the view's task has ended", () => {
  const { trail } = openTrail(task("one", "working", "1"));
  trail.add(task("two", "submitted", "7"));
  trail.take({ type: "snapshot", view: task("one", "completed", "2") }, trail.place);

  trail.add(task("three", "submitted", "9"));

  expect(trail.view.taskId).toBe("one");
});

test("an early state is shown unless an event came, or another task follows", () => {
  const { trail, changes } = openTrail(task("one", "input-required", "1"));
  const before = trail.view;

  trail.showState("working", task("one", "input-required", "1"));
  expect(changes()).toBe(0);
  trail.showState("working", before);
  expect(trail.view.state).toBe("working");
  trail.add(task("two", "submitted", "7"));
  trail.showState("completed", trail.view);
  expect(trail.view.state).toBe("working");
});
