import { emptyTaskView, reduceTaskView, type TaskView } from "@dt/schema";
import { buildQuestion } from "@dt/schema/testing";
import { expect, test } from "vitest";
import { turnOf } from "./turn-of.js";

const question = buildQuestion();
const queuedPrompt = { messageId: "m", text: "next", origin: { principal: "local", name: "Ada" } };

const cases: readonly (readonly [string, Partial<TaskView>, object])[] = [
  ["a submitted task", { state: "submitted" }, { status: "running" }],
  ["a working task", { state: "working" }, { status: "running" }],
  ["an open question", { state: "input-required" }, { status: "asking", questions: [question] }],
  ["an idle task", { state: "input-required" }, { status: "completed" }],
  [
    "an idle task after a failed turn",
    { state: "input-required", error: "the model is gone" },
    { status: "failed", error: "the model is gone" },
  ],
  [
    "an idle task after a cancelled turn",
    { state: "input-required", error: "the turn was cancelled" },
    { status: "canceled" },
  ],
  ["a queued prompt", { state: "input-required", queue: [queuedPrompt] }, { status: "running" }],
  ["an ended task", { state: "completed", queue: [queuedPrompt] }, { status: "completed" }],
  ["a failed task", { state: "failed" }, { status: "failed" }],
  [
    "a failed task with an error",
    { state: "failed", error: "no" },
    { status: "failed", error: "no" },
  ],
  ["a canceled task", { state: "canceled" }, { status: "canceled" }],
  [
    "a rejected task",
    { state: "rejected", statusParts: [{ type: "text", text: "I only review." }] },
    { status: "failed", error: "I only review." },
  ],
  [
    "a rejected task without a reason",
    { state: "rejected" },
    { status: "failed", error: "the task is rejected" },
  ],
  [
    "a task that needs a sign-in",
    { state: "auth-required" },
    { status: "failed", error: "the task is auth-required" },
  ],
];

test.each(cases)("turnOf computes the turn of %s", (name, fields, turn) => {
  const openCalls = name === "an open question" ? [question] : [];
  const view = { ...emptyTaskView("task", "context"), openCalls, ...fields };

  expect(turnOf(view)).toEqual(turn);
});

test("a turn whose question was answered is running", () => {
  const header = { taskId: "task", contextId: "context", at: "", state: "working" as const };
  const asked = { ...emptyTaskView("task", "context"), openCalls: [question] };
  const toolCall = buildQuestion({ status: "EXECUTING" });

  const view = reduceTaskView(asked, { kind: "TOOL_CALL_UPDATE", toolCall, ...header });

  expect(turnOf(view)).toEqual({ status: "running" });
});
