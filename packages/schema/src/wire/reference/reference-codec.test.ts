import { expect, test } from "vitest";
import type { AgentEvent, EventHeader } from "../../event/agent-event.js";
import { reduceTaskView } from "../../event/reduce-task-view.js";
import { emptyTaskView } from "../../event/task-view.js";
import type { ToolCall, ToolOutput } from "../../gen/development_tool/tool_call.js";
import { buildEvent } from "../../testing/build-event.js";
import { buildQuestion, buildToolCall } from "../../testing/build-tool-call.js";
import { RECORDED_TURN } from "../../testing/recorded-turn.js";
import { createCoderAgentBus, emitCoderAgentEvents } from "./reference-bus.js";
import { referenceDialect } from "./reference-dialect.js";
import { CODER_AGENT_EVENTS } from "./reference-events.js";
import { decodeReferenceMessage } from "./reference-message-codec.js";
import { decodeReferenceTask } from "./reference-settings-codec.js";
import { encodeCreatedTask, encodeListedTask } from "./reference-task-codec.js";
import { encodeReferenceCall } from "./reference-tool-call-codec.js";

const empty = emptyTaskView("task-1", "context-1");
const at = "2026-01-02T03:04:05.678Z";
const thought = (subject: string, description: string): AgentEvent => ({
  kind: "THOUGHT",
  thought: { subject, description },
});
const said = (text: string): AgentEvent => ({ kind: "TEXT_CONTENT", text });

/** Encodes events as one stream of `/execute`. The stream ends with the last event. */
function framesOf(
  events: readonly (readonly [AgentEvent, Partial<EventHeader>?])[],
  view = empty,
): unknown[] {
  let { memory } = referenceDialect.start(view, {
    type: "message",
    isNewTask: false,
    queuePosition: 0,
  });
  return events.flatMap(([event, header], index) => {
    const isLast = index === events.length - 1;
    const encoded = referenceDialect.encodeEvent(memory, buildEvent(event, header), { isLast });
    memory = encoded.memory;
    return encoded.frames.map((frame) => {
      const { type, ...payload } = JSON.parse(frame.json);
      expect(frame.event).toBe(type);
      return [type, payload];
    });
  });
}

const details = { fileName: "a", filePath: "/a", newContent: "n", formattedDiff: "+n" };
const output = (result: NonNullable<ToolOutput["result"]>) =>
  ({ $case: "output", value: { result } }) as const;
const call = (overrides: Partial<ToolCall>): AgentEvent => ({
  kind: "TOOL_CALL_UPDATE",
  toolCall: buildToolCall(overrides),
});
const everyEvent: readonly (readonly [AgentEvent, Partial<EventHeader>?])[] = [
  [{ kind: "USER_PROMPT", messageId: "m", parts: [], origin: { principal: "a", name: "A" } }],
  [{ kind: "STATE_CHANGE" }, { state: "submitted" }],
  [{ kind: "STATE_CHANGE" }, { state: "working" }],
  [{ kind: "STATE_CHANGE", waiting: [buildQuestion()] }, { state: "input-required" }],
  [{ kind: "STATE_CHANGE" }, { state: "completed" }],
  [{ kind: "STATE_CHANGE" }, { state: "failed", error: "no tokens" }],
  [{ kind: "STATE_CHANGE" }, { state: "canceled" }],
  [{ kind: "TEXT_CONTENT", text: "hi" }],
  [{ kind: "TEXT_CONTENT", text: "" }],
  [{ kind: "THOUGHT", thought: { subject: "Plan", description: "one file" } }],
  [{ kind: "THOUGHT_SUMMARY", thoughtSummary: { summary: "in short" } }],
  [{ kind: "CITATION", citation: { uri: "https://a.example", title: "A" } }],
  [{ kind: "CONSOLE_LOG", log: { type: "info", content: "saved" } }],
  [{ kind: "AGENT_SETTINGS", settings: { workspacePath: "/w", allowedTools: [], mcpServers: {} } }],
  [{ kind: "QUEUE", prompts: [] }],
  [{ kind: "UNKNOWN", wireKind: "NEWS", parts: [] }],
  [{ kind: "TOOL_CALL_UPDATE", toolCall: buildQuestion() }],
  [call({})],
  [call({ status: "EXECUTING", liveContent: "half" })],
  [call({ status: "SUCCEEDED", result: output({ $case: "text", value: "whole" }) })],
  [call({ status: "SUCCEEDED", result: output({ $case: "diff", value: details }) })],
  [call({ status: "FAILED", result: { $case: "error", value: { message: "no such file" } } })],
  [call({ status: "CANCELLED" })],
];

test("every kind of event has its golden frames [SRV-02, SRV-06]", async () => {
  const golden = everyEvent.map(([event, header]) => {
    const { memory } = referenceDialect.start(empty, { type: "events" });
    const logged = buildEvent(event, header);
    const { frames } = referenceDialect.encodeEvent(memory, logged, { isLast: false });
    const shown = frames.map(({ event: name, json }) => ({ event: name, data: JSON.parse(json) }));
    return { kind: event.kind, state: logged.state, frames: shown };
  });

  await expect(`${JSON.stringify(golden, null, 2)}\n`).toMatchFileSnapshot("golden/events.json");
});

test("a summary of the thoughts is sent before the text that follows them [SRV-02, SRV-06]", () => {
  const frames = framesOf([
    [thought("Plan", "one file")],
    [thought("", "no subject")],
    [said("I write ")],
    [said("a file.")],
    [thought("Check", "")],
    [said("Done.")],
  ]);

  expect(frames).toEqual([
    ["thought", { thought: "Plan: one file" }],
    ["thought", { thought: "no subject" }],
    ["thought_summary", { summary: "Plan; no subject" }],
    ["text_content", { text: "I write " }],
    ["text_content", { text: "a file." }],
    ["thought", { thought: "Check" }],
    ["thought_summary", { summary: "Check" }],
    ["text_content", { text: "Done." }],
  ]);
});

test("a summary that the agent sends replaces our summary of the thoughts [SRV-06]", () => {
  const summary = { kind: "THOUGHT_SUMMARY", thoughtSummary: { summary: "in short" } } as const;

  expect(framesOf([[thought("Plan", "")], [summary], [said("hi")]])).toEqual([
    ["thought", { thought: "Plan" }],
    ["thought_summary", { summary: "in short" }],
    ["text_content", { text: "hi" }],
  ]);
});

const change = { kind: "STATE_CHANGE" } as const;
test.each([
  ["completed", { state: "completed" }, { state: "completed" }],
  ["failed", { state: "failed", error: "no tokens" }, { state: "error", error: "no tokens" }],
  ["canceled", { state: "canceled" }, { state: "error", error: "the task was canceled" }],
  // The stream reports the end of the turn, although the task itself waits for another prompt.
  ["input-required", { state: "input-required" }, { state: "completed" }],
  [
    "input-required after a failure",
    { state: "input-required", error: "no tokens" },
    { state: "error", error: "no tokens" },
  ],
] as const)(
  "a turn whose task is then %s ends its stream with the matching state of the reference [SRV-02]",
  (_, header, payload) => {
    const frames = framesOf([
      [change, { state: "working" }],
      [change, header],
    ]);

    expect(frames).toEqual([["state_change", { ...payload, timestamp: at }]]);
  },
);

test("the first event after the end of a task reports that the task is running again [SRV-02]", () => {
  const frames = framesOf([[change, { state: "working" }], [said("hi")]], {
    ...empty,
    state: "completed",
  });

  expect(frames[0]).toEqual(["state_change", { state: "running", timestamp: at }]);
});

test.each([
  ["text", { $case: "text", value: "5 bytes" }, "5 bytes"],
  [
    "diff",
    {
      $case: "diff",
      value: { fileName: "a", filePath: "/a", newContent: "n", formattedDiff: "+n" },
    },
    "+n",
  ],
  ["data", { $case: "structuredData", value: { n: 1 } }, '{"n":1}'],
  ["none", undefined, ""],
] as const)('a call\'s output of the type "%s" is encoded as text [SRV-02]', (_, result, text) => {
  const call = buildToolCall({
    status: "SUCCEEDED",
    result: { $case: "output", value: { result } },
  });

  expect(encodeReferenceCall(call)).toEqual({
    type: "tool_call_update",
    toolCallId: "call-1",
    toolName: "write_file",
    status: "completed",
    result: text,
  });
});

test("a call that waits has a title, a prompt and options [SRV-02]", () => {
  const { confirmation } = encodeReferenceCall(buildQuestion());

  expect(confirmation).toEqual({
    title: "Write hello.txt?",
    prompt: "File: /work/hello.txt\nhello",
    options: [
      { id: "proceed_once", name: "Allow once" },
      { id: "proceed_always", name: "Always allow", description: "all edits in this session" },
      { id: "cancel", name: "Reject" },
    ],
  });
});

const asks = (
  details: NonNullable<ReturnType<typeof buildQuestion>["confirmationRequest"]>["details"],
) => buildQuestion({ confirmationRequest: { options: [], details } });
test.each([
  [
    asks({ $case: "executeDetails", value: { command: "ls" } }),
    { title: "Run this command?", prompt: "Command: ls" },
  ],
  [
    asks({ $case: "mcpDetails", value: { serverName: "s", toolName: "t" } }),
    { title: "Use t of the MCP server s?", prompt: "MCP server: s\nTool: t" },
  ],
  [
    asks({ $case: "genericDetails", value: { description: "fetch a page" } }),
    { title: "Use write_file?", prompt: "fetch a page" },
  ],
])("the title and the prompt of question %# describe its action [SRV-02]", (call, expected) => {
  expect(encodeReferenceCall(call).confirmation).toMatchObject(expected);
});

test.each([
  ["FAILED", { $case: "error", value: { message: "no such file" } }, "no such file"],
  ["FAILED", undefined, "the call failed"],
  ["CANCELLED", undefined, "the call was cancelled"],
] as const)(
  "a call with the status %s and the result %j is encoded as an error [SRV-02]",
  (status, result, error) => {
    const call = encodeReferenceCall(buildToolCall({ status, result }));

    expect(call).toMatchObject({ status: "error", error });
  },
);

test("a message and the three forms of an answer are decoded [SRV-02]", () => {
  const answer = (confirmation: object) => {
    const { content } = decodeReferenceMessage({ taskId: "t", confirmation });
    return content.type === "confirmation" ? content.confirmations : [];
  };
  const base = { toolCallId: "c", modifiedDetails: undefined };

  expect(decodeReferenceMessage({ taskId: "t", message: "hi", messageId: "m" })).toEqual({
    messageId: "m",
    taskId: "t",
    returnsImmediately: false,
    content: { type: "prompt", parts: [{ type: "text", text: "hi" }] },
  });
  expect(answer({ toolCallId: "c", approved: true })).toEqual([
    { ...base, selectedOptionId: "proceed_once" },
  ]);
  expect(answer({ toolCallId: "c", approved: false })).toEqual([
    { ...base, selectedOptionId: "cancel" },
  ]);
  expect(answer({ toolCallId: "c", optionId: "proceed_always", newContent: "n" })).toEqual([
    {
      toolCallId: "c",
      selectedOptionId: "proceed_always",
      modifiedDetails: { $case: "fileDetails", value: { newContent: "n" } },
    },
  ]);
});

const noSettings = { allowedTools: [], mcpServers: {} };
test.each([
  [{}, { settings: noSettings, isBareId: false }],
  [
    { contextId: "c", agentSettings: { workspaceRoot: "/work", model: "m", apiKey: "k" } },
    {
      contextId: "c",
      settings: { model: "m", ...noSettings },
      workspacePath: "/work",
      apiKey: "k",
      isBareId: false,
    },
  ],
  [
    { agentSettings: { kind: "agent-settings", workspacePath: "/work", allowedTools: ["glob"] } },
    {
      settings: { allowedTools: ["glob"], mcpServers: {} },
      workspacePath: "/work",
      isBareId: true,
    },
  ],
])("the task request %j is decoded [SRV-01]", (body, request) => {
  expect(decodeReferenceTask(body)).toEqual(request);
});

test.each([
  [[], "body: expected an object"],
  [{ agentSettings: [] }, "agentSettings: expected an object"],
  [{ contextId: 5 }, "contextId: expected a string"],
  [{ agentSettings: { workspaceRoot: 5 } }, "agentSettings.workspaceRoot: expected a string"],
  [{ agentSettings: { apiKey: {} } }, "agentSettings.apiKey: expected a string"],
])("the task request %j is refused with the path of the fault [SRV-01]", (body, reason) => {
  expect(() => decodeReferenceTask(body)).toThrow(reason);
});

test("a new task and a listed task have the shapes of the server reference [SRV-01, SRV-03]", () => {
  const task = { taskId: "t", contextId: "c", state: "input-required" } as const;

  expect(encodeCreatedTask(task)).toEqual({
    id: "t",
    taskId: "t",
    contextId: "c",
    state: "running",
  });
  expect(encodeListedTask({ ...task, state: "failed" })).toEqual({
    id: "t",
    contextId: "c",
    state: "error",
  });
});

test("a bus delivers the events of the server reference by their type [SRV-26]", () => {
  const eventBus = createCoderAgentBus();
  const lines: string[] = [];
  eventBus.on(CODER_AGENT_EVENTS.TEXT_CONTENT, (data) => void lines.push(`AI: ${data.text}`));
  eventBus.on(CODER_AGENT_EVENTS.TOOL_CALL_UPDATE, (data) => {
    lines.push(`Tool: ${data.toolName} ${data.status}`);
  });
  eventBus.on(CODER_AGENT_EVENTS.STATE_CHANGE, (data) => void lines.push(data.state));
  const emit = emitCoderAgentEvents(eventBus);

  for (const event of RECORDED_TURN) emit(event);

  expect(lines).toEqual([
    "running",
    "AI: I write ",
    "AI: the file.",
    "Tool: write_file requested",
    "Tool: write_file executing",
    "Tool: write_file executing",
    "Tool: write_file completed",
    "AI: Done.",
    "completed",
  ]);
});

test("each file that the agent wrote is an artifact with its last content [SRV-03]", () => {
  const wrote = (toolCallId: string, newContent: string) =>
    buildEvent({
      kind: "TOOL_CALL_UPDATE",
      toolCall: buildToolCall({
        toolCallId,
        status: "SUCCEEDED",
        result: {
          $case: "output",
          value: {
            result: { $case: "diff", value: { fileName: "a", filePath: "/a", newContent } },
          },
        },
      }),
    });
  const view = [wrote("1", "one"), wrote("2", "two")].reduce(reduceTaskView, empty);

  expect(referenceDialect.encodeTask(view)).toMatchObject({
    artifacts: [{ artifactId: "/a", name: "a", parts: [{ kind: "text", text: "two" }] }],
  });
});
