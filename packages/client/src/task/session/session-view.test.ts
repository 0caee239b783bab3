import {
  emptyTaskView,
  isUnfinished,
  reduceSessionView,
  reduceTaskView,
  type SessionEvent,
  type TaskView,
} from "@dt/schema";
import { buildEvent, buildQuestion } from "@dt/schema/testing";
import { expect, test } from "vitest";
import { continueView, isIdleView, joinTasks } from "./session-view.js";

const origin = { principal: "local", name: "" };
const said = (text: string, header: Parameters<typeof buildEvent>[1] = {}) =>
  buildEvent({ kind: "TEXT_CONTENT", text }, header);
const prompted = (messageId: string, header: Parameters<typeof buildEvent>[1] = {}) =>
  buildEvent({ kind: "USER_PROMPT", messageId, parts: [], origin }, header);
const became = (state: TaskView["state"], header: Parameters<typeof buildEvent>[1] = {}) =>
  buildEvent({ kind: "STATE_CHANGE" }, { state, ...header });
const queued =
  (...ids: readonly string[]) =>
  (header: Parameters<typeof buildEvent>[1]) =>
    buildEvent(
      { kind: "QUEUE", prompts: ids.map((messageId) => ({ messageId, text: "", origin })) },
      header,
    );

function viewOf(...events: readonly SessionEvent[]): TaskView {
  return events.reduce(reduceTaskView, emptyTaskView("task-1", "context-1"));
}

const texts = ({ items }: TaskView) =>
  items.map(({ event }) => (event.kind === "TEXT_CONTENT" ? event.text : event.kind));

const asking = viewOf(
  buildEvent({ kind: "TOOL_CALL_UPDATE", toolCall: buildQuestion() }),
  became("input-required", {}),
);

test.each<[string, TaskView, boolean]>([
  ["that works", viewOf(became("working")), true],
  ["that was submitted", viewOf(), true],
  ["that asks", asking, true],
  ["that is idle", viewOf(became("input-required")), false],
  ["that has ended", viewOf(became("completed")), false],
])("isUnfinished and isIdleView return opposite values for a task %s", (_, view, expected) => {
  expect(isUnfinished(view)).toBe(expected);
  expect(isIdleView(view)).toBe(!expected);
});

test("a task that has ended is not idle while a prompt is queued", () => {
  expect(isIdleView(viewOf(became("completed"), queued("m")({ state: "completed" })))).toBe(false);
});

test("an event of a queued task only changes the queue and the cursor", () => {
  const running = { ...viewOf(said("one", { cursor: "5" })), model: "m" };

  const waiting = reduceSessionView(running, queued("q")({ taskId: "task-2", cursor: "6" }));
  const changed = reduceSessionView(waiting, became("submitted", { taskId: "task-2" }));

  expect(waiting).toEqual({
    ...running,
    queue: [{ messageId: "q", text: "", origin }],
    cursor: "6",
  });
  expect(changed).toEqual(waiting);
});

test("the view changes to another task's turn, whose text becomes a new item", () => {
  const usage = { inputTokens: 1, outputTokens: 2 };
  const ended = viewOf(said("one"), became("completed"));
  const before = { ...ended, usage: usage as NonNullable<TaskView["usage"]> };

  const next = reduceSessionView(before, said("two", { taskId: "task-2", cursor: "7" }));

  expect(next).toMatchObject({ taskId: "task-2", state: "working", cursor: "7" });
  expect(texts(next)).toEqual(["one", "two"]);
  expect(next).not.toHaveProperty("usage");
});

test("a prompt in the view moves to the end of the view when its turn starts", () => {
  const before = viewOf(prompted("first"), prompted("own"), said("one"));

  const next = reduceSessionView(before, prompted("own"));
  const nameless = reduceSessionView(viewOf(prompted(""), said("one")), prompted(""));

  expect(next.items.map(({ event }) => "messageId" in event && event.messageId)).toEqual([
    "first",
    false,
    "own",
  ]);
  expect(texts(nameless)).toEqual(["USER_PROMPT", "one", "USER_PROMPT"]);
});

test("joinTasks orders items by time, and returns the state of the current task", () => {
  const at = (second: number) => ({ at: `2026-01-01T00:00:0${second}.000Z` });
  const first = viewOf(said("a", at(1)), became("working"), prompted("m", at(4)), said("d", at(4)));
  const second = {
    ...viewOf(said("b", at(2)), prompted("n", at(3)), said("c", at(3))),
    earlierItems: 2,
  };

  const joined = joinTasks([second, first], { ...first, items: [], taskId: "now" });

  expect(texts(joined)).toEqual(["a", "b", "USER_PROMPT", "c", "USER_PROMPT", "d"]);
  expect(joined).toMatchObject({ taskId: "now", earlierItems: 2, isTextOpen: true });
  expect(joinTasks([], { ...first, state: "completed" }).isTextOpen).toBe(false);
});

test("of items of one millisecond, joinTasks puts the end of a turn before the next prompt", () => {
  const at = (second: number) => ({ at: `2026-01-01T00:00:0${second}.000Z` });
  const long = viewOf(
    prompted("m", at(1)),
    said("a", at(2)),
    prompted("o", at(3)),
    said("c", at(3)),
  );
  const short = viewOf(prompted("n", at(2)), said("b", at(2)), became("completed", at(3)));
  const end = { ...short, items: [...short.items, { at: at(3).at, event: said("d", at(3)) }] };

  expect(texts(joinTasks([end], long))).toEqual([
    "USER_PROMPT",
    "a",
    "USER_PROMPT",
    "b",
    "d",
    "USER_PROMPT",
    "c",
  ]);
  expect(texts(joinTasks([long], end))).toEqual(texts(joinTasks([end], long)));
});

test("joinTasks keeps the last 200 items and counts the earlier items", () => {
  const many = viewOf(...Array.from({ length: 150 }, (_, index) => prompted(`m${index}`)));
  const more = viewOf(...Array.from({ length: 60 }, (_, index) => prompted(`n${index}`)));

  const joined = joinTasks([many], more);

  expect(joined.items).toHaveLength(200);
  expect(joined.earlierItems).toBe(10);
  expect(joined.items.at(-1)?.event).toMatchObject({ messageId: "n59" });
  expect(joined.isTextOpen).toBe(false);
});

test.each([
  ["working", true],
  ["completed", false],
] as const)("continueView appends the items of a task that is %s", (state, isTextOpen) => {
  const before = { ...viewOf(prompted("m"), said("one")), error: "it broke", model: "small" };
  const next = { ...viewOf(prompted("n"), said("two")), taskId: "task-2", state, cursor: "9" };

  const view = continueView(before, next);

  expect(view).toMatchObject({ taskId: "task-2", state, cursor: "9", model: "small", isTextOpen });
  expect(texts(view)).toEqual(["USER_PROMPT", "one", "USER_PROMPT", "two"]);
  expect(view).not.toHaveProperty("error");
});

test("a conversation that continues with a prompt keeps its count of earlier items", () => {
  const before = { ...viewOf(said("one")), earlierItems: 3 };

  const view = continueView(before, {
    ...viewOf(prompted("n")),
    taskId: "task-2",
    state: "working",
  });

  expect(view).toMatchObject({ earlierItems: 3, isTextOpen: false });
});
