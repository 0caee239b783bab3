import { emptyTaskView, reduceTaskView, type TaskState, type TaskView } from "@dt/schema";
import { buildEvent } from "@dt/schema/testing";
import { expect, test } from "vitest";
import { createKnownSession } from "./known-session.js";

const viewOf = (taskId: string, state: TaskState): TaskView => ({
  ...emptyTaskView(taskId, "context-1"),
  state,
});

const change = (taskId: string, state: TaskState) =>
  buildEvent({ kind: "STATE_CHANGE" }, { taskId, state });

const prompt = (messageId: string, taskId = "task-1") =>
  buildEvent({ kind: "USER_PROMPT", messageId, parts: [], origin }, { taskId });

const queue = (...ids: readonly string[]) =>
  buildEvent({ kind: "QUEUE", prompts: ids.map((messageId) => ({ messageId, text: "", origin })) });

const said = (taskId: string) => buildEvent({ kind: "TEXT_CONTENT", text: "x" }, { taskId });

const origin = { principal: "local", name: "" };
const start = viewOf("task-1", "working");

test.each([
  ["isDone is false before the first event", [], false, ["task-1"]],
  ["isDone is true after the task has ended", [change("task-1", "completed")], true, []],
  ["isDone is false while the task asks", [change("task-1", "input-required")], false, ["task-1"]],
  ["isDone is false if another task ended", [change("task-2", "completed")], false, ["task-1"]],
] as const)("%s, and the field own lists the open tasks", (_, events, isDone, own) => {
  const known = createKnownSession(start);

  for (const event of events) known.apply(event);

  expect([known.isDone, known.own]).toEqual([isDone, own]);
});

test("a task that begins later becomes the task of the handle", () => {
  const known = createKnownSession(viewOf("task-1", "completed"));
  const shown: TaskState[] = [];
  known.onChange(() => shown.push(known.view.state));

  known.sent(viewOf("task-2", "submitted"), known.view);
  const whileItRuns = { taskId: known.taskId, isEnded: known.isEnded, isDone: known.isDone };
  known.apply(change("task-2", "completed"));

  expect(whileItRuns).toEqual({ taskId: "task-2", isEnded: false, isDone: false });
  expect([known.isEnded, known.isDone]).toEqual([true, true]);
  expect(shown).toEqual(["submitted", "completed"]);
});

test("a snapshot replaces the view and the state of its task", () => {
  const known = createKnownSession(start);

  known.replace(viewOf("task-1", "failed"));

  expect([known.view.state, known.isEnded, known.isDone]).toEqual(["failed", true, true]);
});

test("the field taskId names the task whose first event arrived last", () => {
  const known = createKnownSession(start);

  known.apply(said("task-2"));
  const second = known.taskId;
  known.apply(change("task-1", "input-required"));

  expect([second, known.taskId]).toEqual(["task-2", "task-2"]);
});

test("an ended task stays ended until a prompt continues it", () => {
  const known = createKnownSession(viewOf("task-1", "completed"));

  known.apply(said("task-1"));
  const late = known.isEnded;
  known.apply(prompt("other"));

  expect([late, known.isEnded]).toEqual([true, false]);
});

test("a prompt that continues an ended task is awaited until its turn has ended", () => {
  const known = createKnownSession(viewOf("task-1", "completed"));
  const states: (readonly [boolean, boolean])[] = [];
  const note = () => states.push([known.isPending, known.isDone]);

  note();
  known.sent(reduceTaskView(viewOf("task-1", "submitted"), prompt("own")), known.view);
  note();
  known.apply(prompt("own"));
  note();
  known.apply(change("task-1", "completed"));
  note();

  expect(states).toEqual([
    [false, true],
    [true, false],
    [false, false],
    [false, true],
  ]);
});

test("the field own lists an ended task again when the turn of its queued prompt begins", () => {
  const known = createKnownSession(start);
  known.sent(reduceTaskView(viewOf("task-1", "working"), prompt("own")), known.view);

  known.apply(change("task-1", "completed"));
  const between = [...known.own];
  known.apply(prompt("own"));

  expect([between, known.own]).toEqual([[], ["task-1"]]);
  expect(known.isDone).toBe(false);
});

test("a prompt of the first view is awaited while it is queued", () => {
  const known = createKnownSession(reduceTaskView(start, prompt("own")));
  const awaited = [queue("other"), queue("other", "own"), queue()].map((event) => {
    known.apply(event);
    return known.isPending;
  });

  expect(awaited).toEqual([false, true, false]);
});

test("the view shows a new task at once, but keeps its own cursor if it has one", () => {
  const known = createKnownSession({ ...viewOf("task-1", "completed"), cursor: "5" });
  const unknown = createKnownSession(viewOf("task-1", "completed"));
  const next = { ...viewOf("task-2", "submitted"), cursor: "9" };

  known.sent(next, known.view);
  unknown.sent(next, unknown.view);

  expect(known.view).toMatchObject({ taskId: "task-2", cursor: "5" });
  expect(unknown.view).toMatchObject({ taskId: "task-2", cursor: "9" });
});

test("the state of a queued task is not shown while another one runs", () => {
  const known = createKnownSession(start);
  known.sent(viewOf("task-2", "submitted"), known.view);

  known.sent(viewOf("task-2", "input-required"), known.view);

  expect(known.view).toBe(start);
});
