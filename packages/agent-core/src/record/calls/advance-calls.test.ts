import { buildConfirmationOptions, type ToolCall } from "@dt/schema";
import { buildToolCall } from "@dt/schema/testing";
import { expect, test } from "vitest";
import { advanceCalls, endCalls } from "./advance-calls.js";
import { blockingQuestions } from "./blocking-questions.js";
import { type OpenCall, toOpenCall } from "./open-call.js";

const request = { options: buildConfirmationOptions(""), details: undefined };
const call = (toolCallId: string, status: ToolCall["status"] = "PENDING") =>
  buildToolCall({ toolCallId, status });
const seen = (toolCall: ToolCall, more: Partial<OpenCall> = {}): OpenCall => ({
  ...toOpenCall(toolCall),
  isAnnounced: true,
  ...more,
});
const asking = (toolCallId: string, more: Partial<OpenCall> = {}) =>
  seen({ ...call(toolCallId), confirmationRequest: request }, more);
const running = (toolCallId: string, more: Partial<OpenCall> = {}) =>
  seen(call(toolCallId, "EXECUTING"), more);

test("a step produces one record and one event with the same call", () => {
  const { journal, events, isCritical } = advanceCalls(
    [toOpenCall(call("a")), toOpenCall(call("b"))],
    [{ toolCallId: "b", step: { type: "ask", request, description: "B" }, isReadOnly: true }],
  );

  const toolCall = { ...call("b"), description: "B", confirmationRequest: request };
  expect(journal).toEqual([{ type: "call-changed", toolCall, isReadOnly: true }]);
  expect(events).toEqual([{ kind: "TOOL_CALL_UPDATE", toolCall }]);
  expect(isCritical).toBe(false);
});

test("the start of a call is marked as critical, and the event of the start contains the answer", () => {
  const answer = { toolCallId: "a", selectedOptionId: "proceed_once", origin: undefined };

  const { events, isCritical } = advanceCalls(
    [asking("a")],
    [{ toolCallId: "a", step: { type: "start" }, answer }],
  );

  expect(isCritical).toBe(true);
  expect(events).toEqual([{ kind: "TOOL_CALL_UPDATE", toolCall: call("a", "EXECUTING"), answer }]);
});

test("several steps of one call produce one record, and an event for each step", () => {
  const error = { message: "no", type: "not_allowed" };
  const { journal, events } = advanceCalls(
    [toOpenCall(call("a"))],
    [
      { toolCallId: "a", step: { type: "show" } },
      { toolCallId: "a", step: { type: "fail", error } },
    ],
  );

  expect(journal).toHaveLength(1);
  expect(events).toMatchObject([
    { toolCall: { status: "PENDING" } },
    { toolCall: { status: "FAILED", result: { value: error } } },
  ]);
});

test("a call that was never announced ends without an event", () => {
  const { journal, events } = endCalls([toOpenCall(call("a")), running("b")], () => ({
    type: "cancel",
  }));

  expect(journal.map(({ toolCall }) => toolCall.toolCallId)).toEqual(["a", "b"]);
  expect(events).toMatchObject([{ toolCall: { toolCallId: "b", status: "CANCELLED" } }]);
});

test("questions inside a call are cancelled when the call ends", () => {
  const calls = [
    running("a"),
    asking("inside", { parentCallId: "a" }),
    running("started", { parentCallId: "a" }),
    asking("deep", { parentCallId: "started" }),
    seen(call("over", "SUCCEEDED"), { parentCallId: "a" }),
    asking("other"),
  ];
  const error = { message: "gone", type: "interrupted" };

  const { events } = endCalls(calls, ({ toolCall }) =>
    toolCall.status === "EXECUTING" ? { type: "fail", error } : undefined,
  );

  expect(
    events.map((event) =>
      event.kind === "TOOL_CALL_UPDATE"
        ? [event.toolCall.toolCallId, event.toolCall.status, event.parentCallId]
        : [],
    ),
  ).toEqual([
    ["a", "FAILED", undefined],
    ["inside", "CANCELLED", "a"],
    ["started", "CANCELLED", "a"],
    ["deep", "CANCELLED", "started"],
  ]);
});

test("advanceCalls throws if a move names a call that is not in the list", () => {
  expect(() => advanceCalls([], [{ toolCallId: "a", step: { type: "cancel" } }])).toThrow(
    "there is no tool call a in this step",
  );
});

test.each<[string, readonly OpenCall[], readonly string[]]>([
  ["no call is open", [seen(call("a", "SUCCEEDED"))], []],
  ["a call runs", [running("a"), asking("b")], []],
  ["every call asks", [asking("a"), asking("b")], ["a", "b"]],
  ["an allowed call is queued after a question", [asking("a"), seen(call("b"))], ["a"]],
  [
    "an allowed call that only reads follows a question",
    [asking("a"), seen(call("b"), { isReadOnly: true })],
    [],
  ],
  ["a call after the question has not been checked yet", [asking("a"), toOpenCall(call("b"))], []],
  [
    "a running call waits for the question inside it",
    [running("a"), asking("b", { parentCallId: "a" })],
    ["b"],
  ],
  [
    "a running call contains a question and another running call",
    [running("a"), asking("b", { parentCallId: "a" }), running("c", { parentCallId: "a" })],
    [],
  ],
  [
    "a question is nested two calls deep",
    [running("a"), running("b", { parentCallId: "a" }), asking("c", { parentCallId: "b" })],
    ["c"],
  ],
  [
    "an allowed call is queued after a call with a nested question",
    [running("a"), seen(call("b")), asking("c", { parentCallId: "a" })],
    ["c"],
  ],
])("blockingQuestions returns the open questions only if they block: %s", (_, calls, expected) => {
  expect(blockingQuestions({ calls }).map(({ toolCallId }) => toolCallId)).toEqual(expected);
});
