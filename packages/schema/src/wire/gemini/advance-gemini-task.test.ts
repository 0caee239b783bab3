/// <reference types="node" />
import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SessionEvent } from "../../event/agent-event.js";
import type { Part } from "../../event/part.js";
import { canMoveTask, isTerminalState } from "../../event/task-state.js";
import type { ToolCallConfirmation } from "../../gen/development_tool/confirmation.js";
import type { AgentSettings } from "../../gen/development_tool/settings.js";
import type { ToolCallStatus } from "../../gen/development_tool/tool_call.js";
import type { Origin } from "../../gen/dt_session/event.js";
import type { JsonObject } from "../../validation/message-json.js";
import { V0_3 } from "../a2a/v0-3.js";
import type { ClientMessageAddress } from "../canonical/client-message-codec.js";
import { advanceGeminiTask, type GeminiInput, openGeminiTask } from "./advance-gemini-task.js";
import { emptyGeminiMemory, findReadyAnswers, type GeminiMemory } from "./gemini-memory.js";
import {
  encodeGeminiAnswers,
  encodeGeminiPrompt,
  type GeminiAnswer,
} from "./gemini-message-codec.js";

const at = "2026-01-02T03:04:05.678Z";
const origin: Origin = { principal: "local", name: "IDE" };

// A golden file is a message or a conversation. A conversation has steps: each is a frame of the peer
// or an input of this client, with the events that it causes.
interface GoldenStep {
  readonly frame?: JsonObject;
  readonly answer?: ToolCallConfirmation;
  readonly prompt?: string;
  readonly messageId?: string;
  readonly lost?: string;
  readonly events: readonly SessionEvent[];
}
interface Golden {
  readonly name: string;
  readonly steps?: readonly GoldenStep[];
  readonly prompt?: { readonly parts: readonly Part[]; readonly settings?: AgentSettings };
  readonly answers?: readonly GeminiAnswer[];
  readonly address?: ClientMessageAddress;
  readonly json?: JsonObject;
}

const folder = new URL("./golden/", import.meta.url);
const goldens = readdirSync(folder).map(
  // The cast is not checked. A file with other fields fails the tests below.
  (file) => JSON.parse(readFileSync(new URL(file, folder), "utf8")) as Golden,
);

test.each(goldens.flatMap(({ name, steps }) => (steps ? [{ name, steps }] : [])))(
  "the conversation $name becomes its golden events",
  ({ steps }) => {
    let memory = emptyGeminiMemory("task-1", "context-1");
    for (const step of steps) {
      const next = advanceGeminiTask(memory, inputOf(step));
      memory = next.memory;
      expect(next.events).toEqual(step.events);
    }
  },
);

test.each(
  goldens.flatMap(({ name, steps, prompt, answers, address, json }) =>
    steps || !address ? [] : [{ name, prompt, answers, address, json }],
  ),
)("the message $name becomes its golden JSON", ({ prompt, answers = [], address, json }) => {
  const message = prompt
    ? encodeGeminiPrompt(prompt, address)
    : encodeGeminiAnswers(answers, address);

  expect(JSON.stringify(V0_3.encodeMessage(message))).toBe(JSON.stringify(json));
});

test("the golden files contain every kind of update and every status of a call", () => {
  const frames = goldens.flatMap(({ steps }) => steps?.flatMap(({ frame }) => frame ?? []) ?? []);
  const text = JSON.stringify(frames);

  for (const kind of [
    ...["state-change", "text-content", "thought", "citation"],
    ...["tool-call-update", "tool-call-confirmation"],
  ]) {
    expect(text).toContain(`"coderAgent":{"kind":"${kind}"}`);
  }
  for (const status of [
    ...["validating", "awaiting_approval", "scheduled", "executing"],
    ...["success", "error", "cancelled"],
  ]) {
    expect(text).toContain(`"status":"${status}"`);
  }
});

test("a second answer is refused with an error that has the first answer's option and sender", () => {
  const asked = play(ask("call-1"), waits());
  const { memory } = advanceGeminiTask(asked, answer("call-1", "proceed_once"));

  expect(() => advanceGeminiTask(memory, answer("call-1", "cancel"))).toThrow(
    expect.objectContaining({
      code: "confirmation-closed",
      data: { toolCallId: "call-1", answeredBy: origin, selectedOptionId: "proceed_once" },
    }),
  );
});

test("a question that is unknown or not announced yet cannot be answered", () => {
  const unannounced = play(ask("call-1"));

  for (const id of ["call-1", "call-9"]) {
    expect(() => advanceGeminiTask(unannounced, answer(id, "cancel"))).toThrow(
      expect.objectContaining({ code: "confirmation-not-found" }),
    );
  }
});

// The peer would hang after each of these answers.
test.each([
  ["an unknown option", answer("call-1", "perhaps"), "selected_option_id: expected one of"],
  [
    "the option that opens an editor",
    answer("call-1", "modify_with_editor"),
    "selected_option_id: expected one of",
  ],
  [
    "edited content",
    answer("call-1", "proceed_once", "x"),
    "file_details: the question is not about",
  ],
])("an answer to a question about a shell command is refused if it has %s", (_, input, reason) => {
  expect(() => advanceGeminiTask(play(ask("call-1"), waits()), input)).toThrow(reason);
});

test("a question is open again if its answer could not be sent", () => {
  let memory = play(ask("call-1"), ask("call-2"), waits());
  memory = advanceGeminiTask(memory, answer("call-1", "proceed_once")).memory;
  memory = advanceGeminiTask(memory, answer("call-2", "proceed_once")).memory;

  const reopened = advanceGeminiTask(memory, { type: "reopen", at });

  expect(reopened.events.map(describeEvent)).toEqual(["call-1 PENDING asks", "input-required"]);
  expect(findReadyAnswers(reopened.memory)).toBeUndefined();
});

test("the answers to all questions of a step are sent together", () => {
  const asked = play(ask("call-1"), ask("call-2"), waits());
  const first = advanceGeminiTask(asked, answer("call-2", "cancel")).memory;
  const second = advanceGeminiTask(first, answer("call-1", "proceed_once")).memory;

  expect(findReadyAnswers(asked)).toBeUndefined();
  expect(findReadyAnswers(first)).toBeUndefined();
  expect(findReadyAnswers(second)?.map(({ confirmation }) => confirmation.toolCallId)).toEqual([
    "call-1",
    "call-2",
  ]);
});

describe("tasks that this client does not remember", () => {
  const history = [
    { kind: "message", messageId: "m", role: "user", parts: [{ kind: "text", text: "go" }] },
    message([{ kind: "data", data: { subject: "s", description: "d" } }]),
    message([{ kind: "text", text: "said" }]),
    message([callPart("call-1", "awaiting_approval")]),
    message([{ kind: "data", data: { future: true } }]),
  ];
  const show = (status: JsonObject) =>
    openGeminiTask(
      V0_3.decodeTask({ id: "task-1", contextId: "context-1", status, history }, "task"),
    );

  test("a task that is not remembered is restored from its history, with its open question", () => {
    const { events } = show({ state: "input-required", timestamp: at });

    expect(events.map(describeEvent)).toEqual([
      ...["USER_PROMPT", "THOUGHT", "TEXT_CONTENT", "UNKNOWN"],
      ...["call-1 PENDING asks", "input-required"],
    ]);
  });

  test.each([
    [{ state: "working" }, "working", undefined],
    [{ state: "canceled" }, "canceled", undefined],
    [{ state: "failed", message: message([{ kind: "text", text: "why" }]) }, "failed", "why"],
  ])("a task that is not remembered is restored in the state of %j", (status, state, error) => {
    const last = show({ ...status, timestamp: at }).events.at(-1);

    expect(last?.state).toBe(state);
    expect(last?.error).toBe(error);
  });
});

test.each([
  [{ request: {}, status: "executing" }, "parts[0].data.request.callId: expected a string"],
  [{ request: { callId: "c", name: "n" } }, "parts[0].data.status: expected a string"],
  [{ status: "executing" }, "parts[0].data.request: expected an object"],
  [
    { request: { callId: "c", name: "n" }, status: "awaiting_approval" },
    "parts[0].data.confirmationDetails: expected an object",
  ],
  [
    {
      request: { callId: "c", name: "n" },
      status: "awaiting_approval",
      confirmationDetails: { type: "exec", command: 5 },
    },
    "parts[0].data.confirmationDetails.command: expected a string",
  ],
])("the tool call %j is refused with the path of the fault", (data, reason) => {
  const input = frame("tool-call-update", { parts: [{ kind: "data", data }] });

  expect(() => advanceGeminiTask(emptyGeminiMemory("t", "c"), input)).toThrow(reason);
});

test.each([
  [{ parts: [{ type: "data", data: {} }] as const }, "content-type-not-supported"],
  [{ parts: [] }, "invalid-message"],
  [{ parts: text("hi"), settings: { ...settings(), model: "m" } }, "unsupported-operation"],
  [
    { parts: text("hi"), settings: { ...settings(), allowedTools: ["a"] } },
    "unsupported-operation",
  ],
])("a prompt is refused if the peer would ignore a part of it: %j", (prompt, code) => {
  expect(() => encodeGeminiPrompt(prompt, { messageId: "m" })).toThrow(
    expect.objectContaining({ code }),
  );
});

test("every call makes only allowed moves and asks once, in any order of frames [RFC-11]", () => {
  const ids = fc.constantFrom("call-1", "call-2", "call-3");
  const statuses = fc.constantFrom(
    ...(["validating", "awaiting_approval", "scheduled", "executing"] as const),
    ...(["success", "error", "cancelled"] as const),
  );
  const inputs = fc.oneof(
    { weight: 6, arbitrary: fc.tuple(ids, statuses).map(([id, status]) => update(id, status)) },
    { weight: 2, arbitrary: fc.constant(waits()) },
    { weight: 1, arbitrary: fc.constant(frame("state-change")) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(ids, fc.constantFrom("proceed_once", "cancel"))
        .map(([id, option]) => answer(id, option)),
    },
    { weight: 1, arbitrary: ids.map((id) => output(id)) },
  );
  fc.assert(
    fc.property(fc.array(inputs, { maxLength: 40 }), (sequence) => {
      let memory = emptyGeminiMemory("task-1", "context-1");
      const seen: SessionEvent[] = [];
      for (const input of sequence) {
        const step = attempt(memory, input);
        memory = step?.memory ?? memory;
        seen.push(...(step?.events ?? []));
      }
      checkMoves(seen);
    }),
    { numRuns: 500 },
  );
});

const nextStatuses: Readonly<Record<string, readonly ToolCallStatus[]>> = {
  "": ["PENDING"],
  PENDING: ["PENDING", "EXECUTING", "FAILED", "CANCELLED"],
  EXECUTING: ["EXECUTING", "SUCCEEDED", "FAILED", "CANCELLED"],
};

function checkMoves(events: readonly SessionEvent[]): void {
  let statuses = new Map<string, string>();
  let asking = new Set<string>();
  let state: SessionEvent["state"] = "submitted";
  for (const event of events) {
    expect(canMoveTask(state, event.state), `${state} to ${event.state}`).toBe(true);
    // A generated sequence may use the id of a call again in another turn, as the id of a new call.
    if (event.kind === "STATE_CHANGE" && event.state === "working" && isTerminalState(state)) {
      statuses = new Map();
      asking = new Set();
    }
    state = event.state;
    if (event.kind !== "TOOL_CALL_UPDATE") continue;
    const { toolCallId, status, confirmationRequest } = event.toolCall;
    expect(nextStatuses[statuses.get(toolCallId) ?? ""] ?? []).toContain(status);
    statuses.set(toolCallId, status);
    if (confirmationRequest === undefined) asking.delete(toolCallId);
    else {
      expect(asking.has(toolCallId)).toBe(false);
      asking.add(toolCallId);
    }
  }
}

function attempt(memory: GeminiMemory, input: GeminiInput) {
  try {
    return advanceGeminiTask(memory, input);
  } catch {
    return undefined;
  }
}

function inputOf({ frame: json, answer: confirmation, prompt, ...step }: GoldenStep): GeminiInput {
  if (json !== undefined) return { type: "frame", frame: V0_3.decodeFrame(json, "result") };
  if (confirmation !== undefined) return { type: "answer", confirmation, origin, at };
  if (step.lost !== undefined) return { type: "lost", reason: step.lost, at };
  const { messageId = "" } = step;
  return { type: "prompt", messageId, parts: text(prompt ?? ""), origin, at };
}

function play(...inputs: readonly GeminiInput[]): GeminiMemory {
  return inputs.reduce(
    (memory, input) => advanceGeminiTask(memory, input).memory,
    emptyGeminiMemory("task-1", "context-1"),
  );
}

function frame(
  kind: string,
  { state = "working", parts = [] as readonly JsonObject[], final = false } = {},
): GeminiInput {
  const status = { state, message: message(parts), timestamp: at };
  const json = { kind: "status-update", taskId: "task-1", contextId: "context-1", status, final };
  const metadata = { coderAgent: { kind }, model: "m" };
  return { type: "frame", frame: V0_3.decodeFrame({ ...json, metadata }, "result") };
}

function update(callId: string, status: string): GeminiInput {
  return frame("tool-call-update", { parts: [callPart(callId, status)] });
}

function ask(callId: string): GeminiInput {
  return update(callId, "awaiting_approval");
}

function waits(): GeminiInput {
  return frame("state-change", { state: "input-required", final: true });
}

function output(callId: string): GeminiInput {
  const artifact = { artifactId: `tool-${callId}-output`, parts: [{ kind: "text", text: "x" }] };
  const json = { kind: "artifact-update", taskId: "task-1", contextId: "context-1", artifact };
  return { type: "frame", frame: V0_3.decodeFrame(json, "result") };
}

function answer(toolCallId: string, selectedOptionId: string, newContent?: string): GeminiInput {
  const modifiedDetails =
    newContent === undefined
      ? undefined
      : ({ $case: "fileDetails", value: { newContent } } as const);
  const confirmation = { toolCallId, selectedOptionId, modifiedDetails };
  return { type: "answer", confirmation, origin, at };
}

function message(parts: readonly JsonObject[]): JsonObject {
  return { kind: "message", role: "agent", messageId: "m", parts };
}

function callPart(callId: string, status: string): JsonObject {
  const confirmationDetails = { type: "exec", title: "t", command: "ls", rootCommand: "ls" };
  const request = { callId, name: "run_shell_command", args: {} };
  return { kind: "data", data: { request, status, confirmationDetails, response: { callId } } };
}

function text(value: string): readonly Part[] {
  return [{ type: "text", text: value }];
}

function settings(): AgentSettings {
  return { workspacePath: "/w", allowedTools: [], mcpServers: {} };
}

function describeEvent(event: SessionEvent): string {
  if (event.kind === "STATE_CHANGE") return event.state;
  if (event.kind !== "TOOL_CALL_UPDATE") return event.kind;
  const { toolCallId, status, confirmationRequest } = event.toolCall;
  return `${toolCallId} ${status}${confirmationRequest ? " asks" : ""}`;
}
