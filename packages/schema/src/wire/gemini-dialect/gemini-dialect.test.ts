import { expect, test } from "vitest";
import type { AgentEvent, EventHeader, SessionEvent } from "../../event/agent-event.js";
import { emptyTaskView } from "../../event/task-view.js";
import { buildEvent } from "../../testing/build-event.js";
import { buildQuestion, buildToolCall } from "../../testing/build-tool-call.js";
import { RECORDED_TURN } from "../../testing/recorded-turn.js";
import { V0_3 } from "../a2a/v0-3.js";
import type { StreamStart } from "../dialect.js";
import { advanceGeminiTask } from "../gemini/advance-gemini-task.js";
import { emptyGeminiMemory } from "../gemini/gemini-memory.js";
import { GEMINI_FAMILY, geminiDialect } from "./gemini-dialect.js";

const empty = emptyTaskView("task-1", "context-1");
const newTask = { type: "message", isNewTask: true, queuePosition: 0 } as const;
const answered = { type: "message", isNewTask: false, queuePosition: 0 } as const;

/** Encodes a stream; returns the frames as JSON. */
function framesOf(events: readonly SessionEvent[], stream: StreamStart = newTask) {
  const started = geminiDialect.start(empty, stream);
  const frames = [...started.frames];
  let { memory } = started;
  for (const event of events) {
    const encoded = geminiDialect.encodeEvent(memory, event, { isLast: event === events.at(-1) });
    memory = encoded.memory;
    frames.push(...encoded.frames);
  }
  return frames.map(({ json }) => JSON.parse(json));
}

/** Describes a frame in a few words. */
// biome-ignore lint/suspicious/noExplicitAny: frames are JSON.
function describeFrame({ kind, status, metadata, final, artifact }: any): string {
  if (kind !== "status-update")
    return kind === "task" ? "task" : `output ${artifact.parts[0].text}`;
  const [part] = status.message?.parts ?? [];
  const content = part?.text ?? part?.data?.status ?? "";
  const words = [metadata.coderAgent.kind, status.state, content, final ? "final" : ""];
  return words.filter((word) => word !== "").join(" ");
}

const describe = (events: readonly SessionEvent[], stream?: StreamStart) =>
  framesOf(events, stream).map(describeFrame);
const event = (content: AgentEvent, header: Partial<EventHeader> = {}) =>
  buildEvent(content, header);
const update = (toolCall: ReturnType<typeof buildToolCall>) =>
  event({ kind: "TOOL_CALL_UPDATE", toolCall });

test("our decoder of gemini-cli's streams decodes the recorded turn", () => {
  let memory = emptyGeminiMemory("task-1", "context-1");
  const events: SessionEvent[] = [];
  for (const json of framesOf(RECORDED_TURN)) {
    const step = advanceGeminiTask(memory, {
      type: "frame",
      // The recorded turn is encoded as one stream. gemini-cli's server would end the stream at the
      // question, with a final frame.
      frame: V0_3.decodeFrame(
        json.status?.state === "input-required" && !json.status.message
          ? { ...json, final: true }
          : json,
        "frame",
      ),
    });
    memory = step.memory;
    events.push(...step.events);
  }

  expect(events.map(({ kind, state }) => `${kind} ${state}`)).toEqual([
    "STATE_CHANGE working",
    "THOUGHT working",
    "TEXT_CONTENT working",
    "TEXT_CONTENT working",
    "TOOL_CALL_UPDATE working",
    "STATE_CHANGE input-required",
    "TOOL_CALL_UPDATE working",
    "TOOL_CALL_UPDATE working",
    "TOOL_CALL_UPDATE working",
    "TEXT_CONTENT working",
    // gemini-cli's server sends only live output as artifacts, so the decoder does not know the artifacts
    // of this turn.
    "UNKNOWN working",
    "UNKNOWN working",
    "STATE_CHANGE completed",
  ]);
});

test.each<[string, SessionEvent, readonly string[]]>([
  [
    "a citation",
    event({ kind: "CITATION", citation: { uri: "https://a.example", title: "A" } }),
    ["citation working Citations:\n(A) https://a.example"],
  ],
  [
    "a warning",
    event({ kind: "CONSOLE_LOG", log: { type: "warn", content: "retrying" } }),
    ["state-change working Agent Error, unknown agent message: retrying"],
  ],
  ["an info log", event({ kind: "CONSOLE_LOG", log: { type: "info", content: "x" } }), []],
  ["a queue", event({ kind: "QUEUE", prompts: [] }), []],
  [
    "a failure",
    event({ kind: "STATE_CHANGE" }, { state: "failed", error: "no tokens" }),
    [
      "state-change working Agent Error, unknown agent message: no tokens",
      "state-change input-required",
    ],
  ],
  [
    "a cancelled task",
    event({ kind: "STATE_CHANGE" }, { state: "canceled" }),
    ["state-change canceled Task canceled by user request."],
  ],
])("%s is encoded as the updates that gemini-cli's server would send", (_, shown, expected) => {
  const working = event({ kind: "STATE_CHANGE" });
  const last = event({ kind: "QUEUE", prompts: [] });

  expect(describe([working, shown, last]).slice(2)).toEqual(expected);
});

test("a call without a question is announced when it starts", () => {
  const running = buildToolCall({ status: "EXECUTING" });
  const printing = { ...running, liveContent: "1 of 2" };

  expect(describe([update(buildToolCall()), update(running), update(printing)])).toEqual([
    "task",
    "state-change working",
    "tool-call-update working validating",
    "tool-call-update working scheduled",
    "tool-call-update working executing",
    "output 1 of 2",
  ]);
});

test("a call that fails at once is announced with its failure only", () => {
  const error = { message: "no such tool", type: "unknown_tool" };
  const failed = buildToolCall({ status: "FAILED", result: { $case: "error", value: error } });

  const frames = framesOf([update(buildToolCall()), update(failed)]);

  expect(frames.slice(1).map(describeFrame)).toEqual([
    "state-change working",
    "tool-call-update working error",
  ]);
  expect(frames.at(-1).status.message.parts[0].data).toMatchObject({
    response: { errorType: "tool_not_registered", resultDisplay: "no such tool" },
  });
});

test("several questions are asked one after the other", () => {
  const [one, two] = ["one", "two"].map((toolCallId) => buildQuestion({ toolCallId }));
  const asking = (...waiting: readonly (typeof one)[]) =>
    event(
      { kind: "STATE_CHANGE", waiting: waiting.map((call) => call!) },
      { state: "input-required" },
    );

  const first = describe([update(one!), update(two!), asking(one, two)]);
  const second = describe(
    [
      update(buildToolCall({ toolCallId: "one", status: "EXECUTING" })),
      update(buildToolCall({ toolCallId: "one", status: "SUCCEEDED" })),
      asking(two),
    ],
    answered,
  );

  expect(first.slice(1)).toEqual([
    "state-change working",
    "tool-call-update working validating",
    "tool-call-update working validating",
    "tool-call-confirmation working awaiting_approval",
    "state-change input-required final",
  ]);
  expect(second).toEqual([
    "tool-call-update input-required scheduled",
    "tool-call-update input-required executing",
    "tool-call-update input-required success",
    "tool-call-confirmation input-required awaiting_approval",
    "state-change input-required final",
  ]);
});

const stream = "stream" as const;
const plain = { version: "0.3", developmentTool: false, session: false } as const;
const settings = { message: { metadata: { coderAgent: { kind: "agent-settings" } } } };
const answer = { message: { parts: [{ kind: "data", data: { callId: "c", outcome: "cancel" } }] } };

test.each([
  ["a message with settings", true, stream, settings, plain],
  ["an answer", true, stream, answer, plain],
  ["only a prompt", false, stream, { message: { parts: [{ kind: "text", text: "hi" }] } }, plain],
  ["a request without a message", false, stream, {}, plain],
  ["another operation", false, "get", settings, plain],
  ["settings from a client of A2A 1.0", false, stream, settings, { ...plain, version: "1.0" }],
  [
    "settings from a client of the development-tool extension",
    false,
    stream,
    settings,
    { ...plain, developmentTool: true },
  ],
] as const)(
  "GEMINI_FAMILY.recognises for %s returns %s",
  (_, isGemini, operation, params, variant) => {
    expect(GEMINI_FAMILY.recognises({ operation, params, isLive: false }, variant)).toBe(isGemini);
  },
);

test.each([
  ["proceed_once", "proceed_once"],
  ["proceed_always", "proceed_always"],
  ["proceed_always_tool", "proceed_always"],
  ["proceed_always_server", "proceed_always"],
  ["cancel", "cancel"],
])("the outcome %s chooses the option %s", (outcome, selectedOptionId) => {
  const data = { callId: "call-1", outcome, newContent: "" };
  const message = { messageId: "m", role: "user", parts: [{ kind: "data", data }] };

  expect(geminiDialect.decodeMessage({ message }).content).toEqual({
    type: "confirmation",
    confirmations: [
      {
        toolCallId: "call-1",
        selectedOptionId,
        modifiedDetails: { $case: "fileDetails", value: { newContent: "" } },
      },
    ],
  });
});

test("settings may leave out the workspace, and settings of another kind are ignored", () => {
  const decode = (coderAgent: object) => {
    const parts = [{ kind: "text", text: "hi" }];
    const message = { messageId: "m", role: "user", parts, metadata: { coderAgent } };
    return geminiDialect.decodeMessage({ message }).content;
  };
  const shared = { allowedTools: [], mcpServers: {} };

  expect(decode({ kind: "agent-settings", autoExecute: true })).toMatchObject({
    settings: { workspacePath: "", autoExecute: true, ...shared },
  });
  expect(decode({ kind: "agent-settings" })).not.toHaveProperty("settings");
  expect(decode({ kind: "thought" })).not.toHaveProperty("settings");
});
