import { emptyTaskView, type TaskState, type TaskView } from "@dt/schema";
import { buildEvent } from "@dt/schema/testing";
import { expect, test } from "vitest";
import { createKnownSession } from "./known-session.js";

const viewOf = (taskId: string, state: TaskState): TaskView => ({
  ...emptyTaskView(taskId, "context-1"),
  state,
});

const change = (taskId: string, state: TaskState) =>
  buildEvent({ kind: "STATE_CHANGE" }, { taskId, state });

const start = viewOf("task-1", "working");

test.each([
  ["nothing has happened", [], false, ["task-1"]],
  ["its task has ended", [change("task-1", "completed")], true, []],
  ["its task asks", [change("task-1", "input-required")], false, ["task-1"]],
  ["only another task has ended", [change("task-2", "completed")], false, ["task-1"]],
] as const)("a loop is done or not: %s", (_, events, isDone, own) => {
  const known = createKnownSession(start);

  for (const event of events) known.take(event);

  expect([known.isDone, known.own]).toEqual([isDone, own]);
});

test("a task that begins later becomes the task of the handle", () => {
  const known = createKnownSession(viewOf("task-1", "completed"));
  const shown: TaskState[] = [];
  known.onChange(() => shown.push(known.view.state));

  known.sent(viewOf("task-2", "submitted"), known.view);
  const whileItRuns = { taskId: known.taskId, isEnded: known.isEnded, isDone: known.isDone };
  known.take(change("task-2", "completed"));

  expect(whileItRuns).toEqual({ taskId: "task-2", isEnded: false, isDone: false });
  expect([known.isEnded, known.isDone]).toEqual([true, true]);
  expect(shown).toEqual(["submitted", "completed"]);
});

test("a snapshot replaces the view and the state of its task", () => {
  const known = createKnownSession(start);

  known.replace(viewOf("task-1", "failed"));

  expect([known.view.state, known.isEnded, known.isDone]).toEqual(["failed", true, true]);
});
