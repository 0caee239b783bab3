import type { TaskState } from "@dt/schema";
import { buildEvent, buildQuestion } from "@dt/schema/testing";
import { expect, test } from "vitest";
import { createTaskActivity } from "./task-activity.js";

const change = (taskId: string, state: TaskState) =>
  buildEvent({ kind: "STATE_CHANGE" }, { taskId, state });
const ask = (taskId: string) =>
  buildEvent(
    { kind: "STATE_CHANGE", waiting: [buildQuestion()] },
    { taskId, state: "input-required" },
  );
const say = (taskId: string, state: TaskState) =>
  buildEvent({ kind: "TEXT_CONTENT", text: "x" }, { taskId, state });

const busy = { isBusy: true, isIdle: false };
const waiting = { isBusy: false, isIdle: false };
const idle = { isBusy: false, isIdle: true };

test.each([
  ["without tasks is idle", [], idle],
  ["with a submitted task is busy", [change("a", "submitted")], busy],
  ["with a working task is busy", [change("a", "working")], busy],
  ["whose task ended is idle", [change("a", "working"), change("a", "failed")], idle],
  [
    "with a task that ended and one that works is busy",
    [change("a", "working"), say("b", "completed")],
    busy,
  ],
  ["whose task waits for the next prompt is idle", [change("a", "input-required")], idle],
  ["with an open question is waiting", [change("a", "working"), ask("a")], waiting],
  [
    "with an open question is waiting, even if another task works",
    [ask("a"), change("b", "working")],
    waiting,
  ],
  [
    "with an open question is still waiting after other events of the task",
    [ask("a"), say("a", "input-required")],
    waiting,
  ],
  ["whose question was withdrawn is idle", [ask("a"), change("a", "input-required")], idle],
  ["whose question was answered is busy", [ask("a"), say("a", "working")], busy],
])("a session %s", (_what, events, expected) => {
  const activity = createTaskActivity({ unfinished: [], asking: [] });

  for (const event of events) activity.advance(event);

  expect({ isBusy: activity.isBusy, isIdle: activity.isIdle }).toEqual(expected);
});

test("the activity of a restored session begins with its pending tasks", () => {
  const working = createTaskActivity({ unfinished: ["a"], asking: [] });
  const asking = createTaskActivity({ unfinished: ["a"], asking: ["b"] });

  expect(working).toMatchObject(busy);
  expect(asking).toMatchObject(waiting);
  expect(["a", "b"].map((taskId) => asking.isUnfinished(taskId))).toEqual([true, false]);
});
