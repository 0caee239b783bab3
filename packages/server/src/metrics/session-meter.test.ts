import { emptyTaskView, type StampedEvent } from "@dt/schema";
import { buildToolCall } from "@dt/schema/testing";
import { expect, test } from "vitest";
import type { Metrics } from "./metrics.js";
import { createSessionMeter } from "./session-meter.js";

/** Creates metrics that record their calls. */
function openNotes() {
  const notes: [string, unknown][] = [];
  const charges: (number | undefined)[][] = [];
  const note = (name: string) => (value: unknown) => void notes.push([name, value]);
  const metrics: Metrics = {
    eventCommitted: () => {},
    turnEnded: note("turn"),
    toolCallEnded: note("call"),
    questionAnswered: note("question"),
    tokensUsed: note("tokens"),
    groupCommitted: note("commit"),
    callAnswered: note("method"),
    rateLimited: note("rate"),
    budgetRefused: note("budget"),
    ownerCharged: ({ tokens, dollars }) => void charges.push([tokens, dollars]),
    pushed: note("push"),
    page: async () => ({ contentType: "", body: "" }),
  };
  return { metrics, notes, charges };
}

function openMeter() {
  const { metrics, notes, charges } = openNotes();
  const meter = createSessionMeter(metrics, "ada");
  let position = 0;
  const happen = (second: number, event: Partial<StampedEvent>) => {
    position += 1;
    const at = new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
    const whole = { taskId: "task", turn: 1, state: "working", model: "m", ...event, at };
    meter.measure([{ position, epoch: 1, event: whole as StampedEvent }]);
  };
  return { meter, notes, charges, happen };
}

const usage = (inputTokens: number, outputTokens: number) => ({
  inputTokens,
  outputTokens,
  thoughtTokens: 0,
  cachedTokens: 0,
});
const call = (status: "PENDING" | "EXECUTING" | "SUCCEEDED" | "CANCELLED") =>
  buildToolCall({ toolCallId: "call", toolName: "write_file", status });
const answered = (selectedOptionId: string) => ({
  toolCallId: "call",
  selectedOptionId,
  origin: { principal: "local", name: "" },
});
const request = { options: [], details: undefined };

test("a turn is measured from start to end, including its questions", () => {
  const { notes, happen } = openMeter();

  happen(0, { kind: "STATE_CHANGE" });
  happen(1, { kind: "STATE_CHANGE", state: "input-required", waiting: [call("PENDING")] });
  happen(9, { kind: "STATE_CHANGE", state: "completed" });

  expect(notes).toEqual([["turn", { state: "completed", seconds: 9 }]]);
});

test("a turn of the open task ends when the task waits without a question", () => {
  const { notes, happen } = openMeter();

  happen(0, { kind: "STATE_CHANGE" });
  happen(2, { kind: "STATE_CHANGE", state: "input-required" });
  happen(3, { kind: "STATE_CHANGE", turn: 2 });
  happen(4, { kind: "STATE_CHANGE", turn: 2, state: "input-required", error: "no" });

  expect(notes).toEqual([
    ["turn", { state: "completed", seconds: 2 }],
    ["turn", { state: "failed", seconds: 1 }],
  ]);
});

test("a question is measured until its answer, and a call from its start to its end", () => {
  const { notes, happen } = openMeter();
  const pending = { ...call("PENDING"), confirmationRequest: request };

  happen(0, { kind: "TOOL_CALL_UPDATE", toolCall: pending });
  happen(5, {
    kind: "TOOL_CALL_UPDATE",
    toolCall: call("EXECUTING"),
    answer: answered("proceed_once"),
  });
  happen(7, { kind: "TOOL_CALL_UPDATE", toolCall: call("SUCCEEDED") });

  expect(notes).toEqual([
    ["question", { option: "proceed_once", seconds: 5 }],
    ["call", { tool: "write_file", status: "SUCCEEDED", seconds: 2 }],
  ]);
});

test("a restored session continues the measurements of its open turn and question", () => {
  const { meter, notes, happen } = openMeter();
  const waiting = { ...call("PENDING"), confirmationRequest: request };
  const shownAt = "2025-12-31T23:59:50.000Z";
  meter.resume({
    ...emptyTaskView("task", "context"),
    usage: usage(100, 10),
    queue: [{ messageId: "m", text: "later", origin: undefined }],
    openCalls: [waiting],
    items: [
      {
        at: "2025-12-31T23:59:40.000Z",
        event: {
          kind: "USER_PROMPT",
          messageId: "m",
          parts: [],
          origin: { principal: "", name: "" },
        },
      },
      { at: shownAt, event: { kind: "TOOL_CALL_UPDATE", toolCall: waiting } },
    ],
  });
  const before = meter.queuedPrompts;

  happen(5, {
    kind: "TOOL_CALL_UPDATE",
    toolCall: call("EXECUTING"),
    answer: answered("proceed_once"),
  });
  happen(6, { kind: "STATE_CHANGE", usage: usage(100, 10) });
  happen(7, { kind: "STATE_CHANGE", state: "completed", usage: usage(150, 12) });

  expect(before).toBe(1);
  expect(notes).toEqual([
    ["question", { option: "proceed_once", seconds: 15 }],
    ["tokens", { model: "m", type: "input", count: 50 }],
    ["tokens", { model: "m", type: "output", count: 2 }],
    ["turn", { state: "completed", seconds: 27 }],
  ]);
});

test("the open question of a cancelled call is counted with the option none", () => {
  const { notes, happen } = openMeter();

  happen(0, {
    kind: "TOOL_CALL_UPDATE",
    toolCall: { ...call("PENDING"), confirmationRequest: request },
  });
  happen(4, { kind: "TOOL_CALL_UPDATE", toolCall: call("CANCELLED") });

  expect(notes).toEqual([
    ["call", { tool: "write_file", status: "CANCELLED" }],
    ["question", { option: "none", seconds: 4 }],
  ]);
});

test("tokens are counted once, although each event contains the total of its turn so far", () => {
  const { notes, happen } = openMeter();

  happen(0, { kind: "STATE_CHANGE" });
  happen(1, { kind: "STATE_CHANGE", state: "input-required", waiting: [], usage: usage(10, 2) });
  happen(2, { kind: "STATE_CHANGE", turn: 2, usage: usage(5, 0) });
  happen(3, { kind: "STATE_CHANGE", turn: 2, state: "completed", usage: usage(15, 4) });

  const counts = notes.filter(([name]) => name === "tokens").map(([, value]) => value);
  expect(counts).toEqual([
    { model: "m", type: "input", count: 10 },
    { model: "m", type: "output", count: 2 },
    { model: "m", type: "input", count: 5 },
    { model: "m", type: "input", count: 10 },
    { model: "m", type: "output", count: 4 },
  ]);
});

test("the number of queued prompts is read from the last queue event", () => {
  const { meter, happen } = openMeter();
  const waiting = { messageId: "m", text: "later", origin: undefined };

  happen(0, { kind: "QUEUE", prompts: [waiting, waiting] as never });

  expect(meter.queuedPrompts).toBe(2);
});

test("the owner is charged once for the tokens and the cost of a turn [SRV-19]", () => {
  const { meter, charges, happen } = openMeter();
  const report = (turnCost: string) => ({
    turn: usage(0, 0),
    session: usage(0, 0),
    contextTokens: 0,
    contextLimit: 0,
    turnCost: { amount: turnCost, currency: "USD" },
  });
  meter.resume({
    ...emptyTaskView("task", "context"),
    facts: { title: "", todos: [], processes: [], usage: report("0.5") },
  });

  happen(0, { kind: "USAGE", report: report("0.75") });
  happen(1, {
    kind: "STATE_CHANGE",
    state: "completed",
    usage: { ...usage(10, 2), cachedTokens: 9 },
  });
  happen(2, { kind: "USAGE", turn: 2, report: report("0.25") });

  expect(charges).toEqual([
    [undefined, 0.25],
    [12, undefined],
    [undefined, 0.25],
  ]);
});
