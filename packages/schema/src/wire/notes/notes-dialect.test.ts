import { expect, test } from "vitest";
import type { SessionEvent } from "../../event/agent-event.js";
import { reduceTaskView } from "../../event/reduce-task-view.js";
import { emptyTaskView } from "../../event/task-view.js";
import type { ToolCall } from "../../gen/development_tool/tool_call.js";
import { buildEvent } from "../../testing/build-event.js";
import { buildQuestion, buildToolCall } from "../../testing/build-tool-call.js";
import type { StreamStart } from "../dialect.js";
import { notesDialect } from "./notes-dialect.js";
import { encodeNotesMetadata } from "./notes-metadata-codec.js";

const ids = { taskId: "task-1", contextId: "context-1" };
const known: StreamStart = { type: "message", isNewTask: false, queuePosition: 0 };

/** Returns the payloads of a stream with these events. */
function payloadsOf(events: readonly SessionEvent[], start = known): readonly unknown[] {
  const started = notesDialect.start(emptyTaskView("task-1", "context-1"), start);
  let { memory } = started;
  const frames = events.flatMap((event) => {
    const encoded = notesDialect.encodeEvent(memory, event, { isLast: false });
    memory = encoded.memory;
    return encoded.frames;
  });
  return [...started.frames, ...frames].map(({ json }) => JSON.parse(json));
}

const brief = (payload: unknown) => {
  const { kind, state, status, toolCallId } = payload as Record<string, string>;
  return [kind, toolCallId, state ?? status].filter((word) => word !== undefined).join(" ");
};

const call = (status: ToolCall["status"], more: Partial<ToolCall> = {}) =>
  buildEvent({ kind: "TOOL_CALL_UPDATE", toolCall: buildToolCall({ status, ...more }) });

test("a stream that an answer opened begins with the change to working [SRV-04, SRV-06]", () => {
  const payloads = payloadsOf([call("EXECUTING"), call("SUCCEEDED")]);

  expect(payloads.map(brief)).toEqual([
    "state-change working",
    "tool-call-update call-1 EXECUTING",
    "tool-call-update call-1 SUCCEEDED",
  ]);
});

test("a question is sent after its call, or before input-required if the call was not sent [SRV-06]", () => {
  const asked = buildEvent({ kind: "TOOL_CALL_UPDATE", toolCall: buildQuestion() });
  const waits = buildEvent(
    { kind: "STATE_CHANGE", waiting: [buildQuestion(), buildQuestion({ toolCallId: "call-2" })] },
    { state: "input-required" },
  );

  expect(payloadsOf([buildEvent({ kind: "STATE_CHANGE" }), asked, waits]).map(brief)).toEqual([
    "state-change working",
    "tool-call-update call-1 PENDING",
    "tool-call-confirmation call-1",
    "tool-call-confirmation call-2",
    "state-change input-required",
  ]);
});

test("every event of the notes has its golden payload [SRV-06]", async () => {
  const settings = { workspacePath: "/w", allowedTools: [], mcpServers: {} };
  const asked = { kind: "TOOL_CALL_UPDATE", toolCall: buildQuestion() } as const;
  const kinds = payloadsOf([
    buildEvent({ kind: "AGENT_SETTINGS", settings }),
    buildEvent({ kind: "THOUGHT", thought: { subject: "Plan", description: "one file" } }),
    buildEvent(asked),
    buildEvent({ kind: "TEXT_CONTENT", text: "Done." }),
    buildEvent({ kind: "CITATION", citation: { uri: "https://a.example", title: "A" } }),
    buildEvent({ kind: "STATE_CHANGE" }, { state: "completed" }),
  ]);

  expect(new Set(kinds.map((payload) => Object(payload).kind)).size).toBe(7);
  await expect(`${JSON.stringify(kinds, null, 2)}\n`).toMatchFileSnapshot("golden/events.json");
});

test("live output has no frame, because the notes report changes of the status only", () => {
  const working = buildEvent({ kind: "STATE_CHANGE" });
  const live = call("EXECUTING", { liveContent: "5 bytes" });

  expect(payloadsOf([working, call("EXECUTING"), live]).map(brief)).toEqual([
    "state-change working",
    "tool-call-update call-1 EXECUTING",
  ]);
});

test("only the last frame of an event has the event's cursor", () => {
  const event = buildEvent(
    { kind: "TOOL_CALL_UPDATE", toolCall: buildQuestion() },
    { cursor: "6.x" },
  );

  const { frames } = notesDialect.encodeEvent({ asked: [] }, event, { isLast: false });

  expect(frames.map(({ cursor }) => cursor)).toEqual([undefined, undefined, "6.x"]);
});

const write = { toolCallId: "call-1", toolName: "write_file" };
const inputParameters = { file_path: "hello.txt", content: "hello" };
const diff = { fileName: "a", filePath: "/w/a", newContent: "new", formattedDiff: "+new" };

test.each([
  [{ $case: "text", value: "done" }, "done"],
  [{ $case: "diff", value: diff }, "+new"],
  [{ $case: "diff", value: { ...diff, formattedDiff: undefined } }, "new"],
  [{ $case: "structuredData", value: { a: 1 } }, '{"a":1}'],
] as const)("the output %j of a call is encoded as a string [SRV-06]", (output, result) => {
  const succeeded = call("SUCCEEDED", { result: { $case: "output", value: { result: output } } });

  expect(payloadsOf([succeeded]).at(-1)).toEqual({
    kind: "tool-call-update",
    ...ids,
    ...write,
    status: "SUCCEEDED",
    inputParameters,
    result,
  });
});

test("the error of a failed call is encoded as its message [SRV-06]", () => {
  const failed = call("FAILED", { result: { $case: "error", value: { message: "no space" } } });

  expect(payloadsOf([failed]).at(-1)).toMatchObject({ status: "FAILED", error: "no space" });
});

test.each([
  [
    { $case: "executeDetails", value: { command: "ls", workingDirectory: "/w" } },
    { title: "Run a shell command", prompt: "Run this command in /w?\n\nls", type: "danger" },
  ],
  [
    { $case: "executeDetails", value: { command: "ls" } },
    { title: "Run a shell command", prompt: "Run this command?\n\nls", type: "danger" },
  ],
  [
    { $case: "fileEditDetails", value: diff },
    { title: "Change a", prompt: "Change /w/a?\n\n+new", type: "warning" },
  ],
  [
    { $case: "mcpDetails", value: { serverName: "github", toolName: "star" } },
    {
      title: "Use a tool of github",
      prompt: "Use the tool star of the MCP server github?",
      type: "warning",
    },
  ],
  [
    { $case: "genericDetails", value: { description: "Fetch https://a.example?" } },
    { title: "Use write_file", prompt: "Fetch https://a.example?", type: "info" },
  ],
  [undefined, { title: "Use write_file", prompt: "Use write_file?", type: "info" }],
] as const)("the details %j become title, prompt and type [SRV-06]", (details, expected) => {
  const question = buildQuestion({ confirmationRequest: { options: [], details } });
  const event = buildEvent({ kind: "TOOL_CALL_UPDATE", toolCall: question });

  expect(payloadsOf([event]).at(-1)).toEqual({
    kind: "tool-call-confirmation",
    ...ids,
    ...write,
    inputParameters,
    confirmationRequest: expected,
  });
});

test.each([
  [
    { kind: "TEXT_CONTENT", text: "hi" },
    { kind: "text-content", text: "hi" },
  ],
  [
    { kind: "THOUGHT", thought: { subject: "Plan", description: "one file" } },
    { kind: "thought", subject: "Plan", description: "one file" },
  ],
  [
    { kind: "CITATION", citation: { uri: "https://a.example", title: "A" } },
    { kind: "citation", uri: "https://a.example", title: "A" },
  ],
  [
    {
      kind: "AGENT_SETTINGS",
      settings: { workspacePath: "/w", allowedTools: [], mcpServers: {}, autoExecute: true },
    },
    { kind: "agent-settings", workspacePath: "/w", autoExecute: true },
  ],
] as const)("the event %j is spelled as in the notes [SRV-06]", (event, { kind, ...content }) => {
  expect(payloadsOf([buildEvent(event)]).at(-1)).toEqual({ kind, ...ids, ...content });
});

test("a failed task has its error, and a state that is not in the notes is converted [SRV-07]", () => {
  const failed = buildEvent({ kind: "STATE_CHANGE" }, { state: "failed", error: "no tokens" });
  const rejected = { ...failed, state: "rejected" } as unknown as SessionEvent;
  const signIn = { ...failed, state: "auth-required" } as unknown as SessionEvent;

  expect(payloadsOf([failed])).toEqual([
    { kind: "state-change", ...ids, state: "failed", error: "no tokens" },
  ]);
  expect(payloadsOf([rejected, signIn]).map(brief)).toEqual([
    "state-change failed",
    "state-change input-required",
  ]);
});

test("metadata has the fields of the notes, with servers and tools if the agent is open [SRV-08]", () => {
  const events = [buildEvent({ kind: "TEXT_CONTENT", text: "hi" }, { model: "offline" })];
  const view = events.reduce(reduceTaskView, emptyTaskView("task-1", "context-1"));
  const tool = { name: "look", description: "looks", parameterSchema: { type: "object" } };
  const server = (status: "connected" | "failed") => ({ name: status, status, tools: [tool] });

  expect(encodeNotesMetadata(view)).toEqual({
    id: "task-1",
    contextId: "context-1",
    taskState: "working",
    model: "offline",
    mcpServers: [],
    availableTools: [],
  });
  expect(
    encodeNotesMetadata(view, {
      model: "gemini",
      mcpServers: [server("connected"), server("failed")],
      availableTools: [tool],
    }),
  ).toMatchObject({
    model: "gemini",
    mcpServers: [
      { name: "connected", status: "connected", tools: [tool] },
      { name: "failed", status: "disconnected", tools: [tool] },
    ],
    availableTools: [tool],
  });
});

test("a task without a prompt is shown as submitted, even in input-required [SRV-08]", () => {
  const view = emptyTaskView("task-1", "context-1");

  for (const state of ["submitted", "input-required"] as const)
    expect(notesDialect.encodeTask({ ...view, state })).toMatchObject({ taskState: "submitted" });
});
