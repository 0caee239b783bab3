import { type AgentEvent, emptyTaskView, reduceTaskView } from "@dt/schema";
import { buildEvent, buildToolCall } from "@dt/schema/testing";
import { expect, test } from "vitest";
import { checkLateAnswer } from "./check-late-answer.js";

const origin = { principal: "ada", name: "Ada's IDE" };
const prompt: AgentEvent = { kind: "USER_PROMPT", messageId: "m", parts: [], origin };
const answered = (
  toolCallId: string,
  selectedOptionId: string,
  by?: typeof origin,
): AgentEvent => ({
  kind: "TOOL_CALL_UPDATE",
  toolCall: buildToolCall({ toolCallId, status: "EXECUTING" }),
  answer: { toolCallId, selectedOptionId, origin: by },
});
const unasked: AgentEvent = {
  kind: "TOOL_CALL_UPDATE",
  toolCall: buildToolCall({ toolCallId: "call-9", status: "EXECUTING" }),
};
const lastTurn = [
  prompt,
  answered("call-0", "cancel", origin),
  prompt,
  answered("call-1", "proceed_once", origin),
  answered("call-2", "proceed_always", { principal: "bob", name: "" }),
  unasked,
];

function refusalOf(text: string, events: readonly AgentEvent[]) {
  const view = events
    .map((event, index) =>
      buildEvent(event.kind === "USER_PROMPT" ? { ...event, messageId: `${index}` } : event),
    )
    .reduce(reduceTaskView, emptyTaskView("task-1", "context-1"));
  try {
    checkLateAnswer(text, view);
    return undefined;
  } catch (reason) {
    const { code, message, data } = reason as { code: string; message: string; data: unknown };
    return { code, message, data };
  }
}

test("a late answer is refused, and the error names the first answer [CLI-14]", () => {
  const first = {
    code: "confirmation-closed",
    message:
      "the question of the tool call call-1 was already answered by Ada's IDE with proceed_once",
    data: { toolCallId: "call-1", answeredBy: origin, selectedOptionId: "proceed_once" },
  };
  const second = {
    code: "confirmation-closed",
    message: "the question of the tool call call-2 was already answered by bob with proceed_always",
    data: {
      toolCallId: "call-2",
      answeredBy: { principal: "bob", name: "" },
      selectedOptionId: "proceed_always",
    },
  };

  expect(refusalOf("cancel", lastTurn)).toEqual(second);
  expect(refusalOf("  proceed_once\n", lastTurn)).toEqual(second);
  expect(refusalOf("proceed_always call-2", lastTurn)).toEqual(second);
  expect(refusalOf("cancel   call-1", lastTurn)).toEqual(first);
});

test.each([
  ["is not an option", "yes", lastTurn],
  ["has a third word", "cancel call-1 please", lastTurn],
  ["is empty", "", lastTurn],
  ["names a call that was never asked about", "cancel call-9", lastTurn],
  ["names a call of an earlier turn", "cancel call-0", lastTurn],
  ["comes after a turn without questions", "cancel", [prompt, unasked]],
  ["answers a question whose first answer has no origin", "cancel", [answered("call-1", "cancel")]],
])("a message that %s is not a late answer", (_, text, events) => {
  expect(refusalOf(text, events)).toBeUndefined();
});

test("a late answer is refused even if the view does not contain the prompt", () => {
  expect(refusalOf("cancel", [answered("call-1", "cancel", origin)])).toMatchObject({
    data: { toolCallId: "call-1" },
  });
});
