import { expect, test } from "vitest";
import { buildEvent } from "../testing/build-event.js";
import { buildQuestion } from "../testing/build-tool-call.js";
import type { AgentEvent, SessionEvent } from "./agent-event.js";
import { reduceSessionView } from "./reduce-session-view.js";
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

test("a command beside a turn shows, and the turn stays what the view is of", () => {
  const view = fold([inTask("turn", { kind: "STATE_CHANGE" }), text("turn", "one "), ...command()]);

  expect(view).toMatchObject({ taskId: "turn", state: "working" });
  expect(textsOf(view)).toEqual(["one ", "USER_PROMPT", "help"]);
});

test("text of the turn after a command is not joined with what the command said", () => {
  const view = fold([
    inTask("turn", { kind: "STATE_CHANGE" }),
    text("turn", "one "),
    ...command(),
    text("turn", "two "),
    text("turn", "three"),
  ]);

  expect(textsOf(view)).toEqual(["one ", "USER_PROMPT", "help", "two three"]);
});

test("a command beside an open question leaves the question open", () => {
  const toolCall = buildQuestion();
  const view = fold([
    inTask("turn", { kind: "TOOL_CALL_UPDATE", toolCall }),
    inTask("turn", { kind: "STATE_CHANGE", waiting: [toolCall] }, { state: "input-required" }),
    ...command(),
  ]);

  expect(openQuestions(view).map(({ toolCallId }) => toolCallId)).toEqual([toolCall.toolCallId]);
  expect(view).toMatchObject({ taskId: "turn", state: "input-required" });
});

test("why a command beside a turn failed shows until the next event", () => {
  const before = [inTask("turn", { kind: "STATE_CHANGE" }), ...command("no such command")];

  expect(fold(before)).toMatchObject({ state: "working", error: "no such command" });
  expect(fold([...before, text("turn", "on")])).not.toHaveProperty("error");
});

test("a task whose turn comes after the last one has ended is what the view is of", () => {
  const view = fold([
    inTask("turn", { kind: "STATE_CHANGE" }),
    inTask("turn", { kind: "STATE_CHANGE" }, { state: "completed" }),
    inTask("next", { kind: "USER_PROMPT", messageId: "n", parts: [], origin }),
  ]);

  expect(view).toMatchObject({ taskId: "next", state: "working" });
});
