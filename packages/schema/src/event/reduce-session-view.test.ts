import { expect, test } from "vitest";
import { buildEvent } from "../testing/build-event.js";
import { buildQuestion } from "../testing/build-tool-call.js";
import type { AgentEvent, SessionEvent } from "./agent-event.js";
import { isUnfinished, reduceSessionView } from "./reduce-session-view.js";
import { emptyTaskView, openQuestions, type TaskView } from "./task-view.js";

const inTask = (taskId: string, event: AgentEvent, about: Partial<SessionEvent> = {}) =>
  buildEvent(event, { state: "working", ...about, taskId });
const text = (taskId: string, said: string) => inTask(taskId, { kind: "TEXT_CONTENT", text: said });
const origin = { principal: "p", name: "n" };
const command = (error?: string): readonly SessionEvent[] => [
  inTask(
    "command",
    { kind: "USER_PROMPT", messageId: "c", parts: [], origin },
    { state: "submitted" },
  ),
  inTask("command", { kind: "STATE_CHANGE" }),
  ...(error === undefined ? [text("command", "help")] : []),
  inTask(
    "command",
    { kind: "STATE_CHANGE" },
    error === undefined ? { state: "completed" } : { state: "failed", error },
  ),
];

function fold(events: readonly SessionEvent[]): TaskView {
  return events.reduce<TaskView>(reduceSessionView, emptyTaskView("turn", "context"));
}

const textsOf = ({ items }: TaskView) =>
  items.map(({ event }) => (event.kind === "TEXT_CONTENT" ? event.text : event.kind));

test("a command that runs beside a turn is shown, and the view keeps the task of the turn", () => {
  const view = fold([inTask("turn", { kind: "STATE_CHANGE" }), text("turn", "one "), ...command()]);

  expect(view).toMatchObject({ taskId: "turn", state: "working" });
  expect(textsOf(view)).toEqual(["one ", "USER_PROMPT", "help"]);
});

test("text of the turn is not appended to the text of a command", () => {
  const view = fold([
    inTask("turn", { kind: "STATE_CHANGE" }),
    text("turn", "one "),
    ...command(),
    text("turn", "two "),
    text("turn", "three"),
  ]);

  expect(textsOf(view)).toEqual(["one ", "USER_PROMPT", "help", "two three"]);
});

test("a command that runs beside an open question leaves the question open", () => {
  const toolCall = buildQuestion();
  const view = fold([
    inTask("turn", { kind: "TOOL_CALL_UPDATE", toolCall }),
    inTask("turn", { kind: "STATE_CHANGE", waiting: [toolCall] }, { state: "input-required" }),
    ...command(),
  ]);

  expect(openQuestions(view).map(({ toolCallId }) => toolCallId)).toEqual([toolCall.toolCallId]);
  expect(view).toMatchObject({ taskId: "turn", state: "input-required" });
});

test("the error of a command that runs beside a turn is shown until the next event", () => {
  const before = [inTask("turn", { kind: "STATE_CHANGE" }), ...command("no such command")];

  expect(fold(before)).toMatchObject({ state: "working", error: "no such command" });
  expect(fold([...before, text("turn", "on")])).not.toHaveProperty("error");
});

test("the view moves to the next task when the task before it has ended", () => {
  const view = fold([
    inTask("turn", { kind: "STATE_CHANGE" }),
    inTask("turn", { kind: "STATE_CHANGE" }, { state: "completed" }),
    inTask("next", { kind: "USER_PROMPT", messageId: "n", parts: [], origin }),
  ]);

  expect(view).toMatchObject({ taskId: "next", state: "working" });
});

test("isUnfinished returns true while a task waits for its turn, works or asks", () => {
  const inState = (state: TaskView["state"]) => ({ ...emptyTaskView("t", "c"), state });
  const states = ["submitted", "working", "input-required", "completed", "failed", "canceled"];
  const asking = { ...inState("input-required"), openCalls: [buildQuestion()] };

  expect(states.filter((state) => isUnfinished(inState(state as TaskView["state"])))).toEqual([
    "submitted",
    "working",
  ]);
  expect(isUnfinished(asking)).toBe(true);
});

test("an event of a queued task changes only the queue and the cursor of the view", () => {
  const prompts = [{ messageId: "q", text: "then this", origin }];
  const before = fold([inTask("turn", { kind: "STATE_CHANGE" }), text("turn", "one ")]);
  const about = { cursor: "7", state: "submitted", at: "later", model: "other" } as const;

  const queued = reduceSessionView(before, inTask("waits", { kind: "QUEUE", prompts }, about));
  const moved = reduceSessionView(queued, inTask("waits", { kind: "STATE_CHANGE" }, about));

  expect(queued).toStrictEqual({ ...before, queue: prompts, cursor: "7" });
  expect(moved).toStrictEqual(queued);
  expect(textsOf(reduceSessionView(moved, text("turn", "two")))).toEqual(["one two"]);
});

test("an event without cursor and error keeps the cursor and the error of the view", () => {
  const before = fold([inTask("turn", { kind: "STATE_CHANGE" }, { cursor: "3", error: "old" })]);

  const after = reduceSessionView(before, inTask("waits", { kind: "QUEUE", prompts: [] }));

  expect(after).toStrictEqual(before);
});

test("a prompt in the view moves to the end of the view when its turn starts", () => {
  const prompt = (taskId: string, messageId: string) =>
    inTask(taskId, { kind: "USER_PROMPT", messageId, parts: [], origin });
  const idsOf = ({ items }: TaskView) =>
    items.map(({ event }) => (event.kind === "USER_PROMPT" ? event.messageId : event.kind));

  const view = fold([
    prompt("turn", "a"),
    prompt("turn", "b"),
    text("turn", "on a"),
    inTask("turn", { kind: "STATE_CHANGE" }, { state: "completed" }),
    prompt("next", "b"),
    prompt("next", ""),
    prompt("next", ""),
  ]);

  expect(idsOf(view)).toEqual(["a", "TEXT_CONTENT", "b", "", ""]);
});

test("the view of the next turn has no usage of the turn before it", () => {
  const usage = { inputTokens: 1, outputTokens: 2, thoughtTokens: 3, cachedTokens: 4 };
  const waited = fold([]);
  const ended = fold([
    inTask("turn", { kind: "STATE_CHANGE" }, { usage, model: "m", cursor: "3" }),
    text("turn", "one"),
    inTask("turn", { kind: "STATE_CHANGE" }, { state: "input-required" }),
  ]);

  expect(reduceSessionView(waited, text("next", "two"))).toMatchObject({ taskId: "next" });
  const next = reduceSessionView({ ...ended, isTextOpen: true }, text("next", "two"));
  expect(next).toMatchObject({ taskId: "next", state: "working", model: "m", cursor: "3" });
  expect(next).not.toHaveProperty("usage");
  expect(textsOf(next)).toEqual(["one", "two"]);
});
