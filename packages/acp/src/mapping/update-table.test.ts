import { OPTION_IDS, type SessionEvent } from "@dt/schema";
import { buildEvent, buildQuestion, buildToolCall } from "@dt/schema/testing";
import { expect, test } from "vitest";
import { type EditorContext, encodeUpdates } from "./update-table.js";

const CONTEXT: EditorContext = {
  directory: "/work",
  showsNotices: false,
  isShown: () => false,
  isOwn: ({ principal }) => principal === "terminal",
  notesOn: () => [],
};
const phone = { principal: "local", name: "phone" };
const usage = { inputTokens: 1, outputTokens: 2, thoughtTokens: 3, cachedTokens: 4 };

const encode = (event: SessionEvent, context: Partial<EditorContext> = {}) =>
  encodeUpdates(new Set(), event, { ...CONTEXT, ...context }).updates;
const textOf = (text: string) => ({ type: "text", text });

test.each<[name: string, event: SessionEvent, updates: readonly object[]]>([
  [
    "text",
    buildEvent({ kind: "TEXT_CONTENT", text: "hi" }),
    [{ sessionUpdate: "agent_message_chunk", content: textOf("hi") }],
  ],
  [
    "an image that the agent sends",
    buildEvent({
      kind: "TEXT_CONTENT",
      text: "",
      attachments: [{ type: "file", bytes: "AAAA", mediaType: "image/png" }],
    }),
    [
      {
        sessionUpdate: "agent_message_chunk",
        content: { type: "image", data: "AAAA", mimeType: "image/png" },
      },
    ],
  ],
  [
    "a thought",
    buildEvent({ kind: "THOUGHT", thought: { subject: "Plan", description: "think" } }),
    [{ sessionUpdate: "agent_thought_chunk", content: textOf("**Plan**\n\nthink") }],
  ],
  [
    "a prompt of another client as two messages",
    buildEvent({
      kind: "USER_PROMPT",
      messageId: "m",
      parts: [{ type: "text", text: "go" }],
      origin: phone,
    }),
    ["[phone] ", "go"].map((text) => ({
      sessionUpdate: "user_message_chunk",
      content: textOf(text),
      _meta: { dt: { messageId: "m", from: "phone" } },
    })),
  ],
  [
    "the todo list",
    buildEvent({
      kind: "TODOS",
      todos: [
        { description: "one", status: "COMPLETED" },
        { description: "two", status: "CANCELLED" },
      ],
    }),
    [
      {
        sessionUpdate: "plan",
        entries: [{ content: "one", priority: "medium", status: "completed" }],
      },
    ],
  ],
  [
    "the title",
    buildEvent({ kind: "TITLE", title: "T" }),
    [
      {
        sessionUpdate: "session_info_update",
        title: "T",
        updatedAt: "2026-01-02T03:04:05.678Z",
      },
    ],
  ],
  [
    "the usage",
    buildEvent({
      kind: "USAGE",
      report: {
        turn: usage,
        session: usage,
        contextTokens: 10,
        contextLimit: 100,
        sessionCost: { amount: "0.25", currency: "USD" },
      },
    }),
    [
      {
        sessionUpdate: "usage_update",
        used: 10,
        size: 100,
        cost: { amount: 0.25, currency: "USD" },
        _meta: { dt: { tokens: { input: 1, output: 2, thought: 3, cached: 4 } } },
      },
    ],
  ],
  [
    "a citation",
    buildEvent({ kind: "CITATION", citation: { uri: "https://h/a", title: "" } }),
    [
      {
        sessionUpdate: "agent_message_chunk",
        content: { type: "resource_link", uri: "https://h/a", name: "https://h/a" },
      },
    ],
  ],
  [
    "a warning",
    buildEvent({ kind: "WARNING", warning: { message: "careful" } }),
    [{ sessionUpdate: "agent_thought_chunk", content: textOf("careful") }],
  ],
  ["the queue as no update", buildEvent({ kind: "QUEUE", prompts: [] }), []],
])("encodeUpdates encodes %s for version 1 of the Agent Client Protocol", (_, event, updates) => {
  expect(encode(event)).toEqual(updates);
});

test("a warning is a notice if the editor shows notices", () => {
  const event = buildEvent({ kind: "WARNING", warning: { message: "careful" } });

  expect(encode(event, { showsNotices: true })).toEqual([
    { sessionUpdate: "notice", severity: "warning", title: "careful" },
  ]);
});

test("a prompt that the editor shows already is not sent", () => {
  const event = buildEvent({ kind: "USER_PROMPT", messageId: "m", parts: [], origin: phone });

  expect(encode(event, { isShown: () => true })).toEqual([]);
});

test("a call begins once, is updated while it is open, and is forgotten at its end", () => {
  const steps = (["PENDING", "EXECUTING", "SUCCEEDED"] as const).map((status) =>
    buildEvent({ kind: "TOOL_CALL_UPDATE", toolCall: buildToolCall({ status }) }),
  );
  let memory: ReadonlySet<string> = new Set();
  const kinds = steps.map((event) => {
    const encoded = encodeUpdates(memory, event, CONTEXT);
    memory = encoded.memory;
    return encoded.updates.map(({ sessionUpdate }) => sessionUpdate);
  });

  expect(kinds).toEqual([["tool_call"], ["tool_call_update"], ["tool_call_update"]]);
  expect(memory.size).toBe(0);
});

test.each([
  [
    "a question about a command",
    buildQuestion({
      toolName: "run_shell_command",
      inputParameters: { command: "ls" },
      confirmationRequest: {
        options: [{ id: OPTION_IDS.cancel, name: "Reject" }],
        details: { $case: "executeDetails", value: { command: "ls", workingDirectory: "/work" } },
      },
    }),
    { kind: "execute", status: "pending", content: ["```sh\nls\n```\n\nin /work"], locations: [] },
  ],
  [
    "live output that contains a fence between longer fences",
    buildToolCall({ status: "EXECUTING", toolName: "run_shell_command", liveContent: "```\n" }),
    { kind: "execute", status: "in_progress", content: ["````\n```\n````"] },
  ],
  [
    "the error of a failed call",
    buildToolCall({
      status: "FAILED",
      toolName: "of_a_server",
      result: { $case: "error", value: { message: "it broke" } },
    }),
    { kind: "other", status: "failed", content: ["it broke"] },
  ],
  [
    "the file that a call reads, with the first line",
    buildToolCall({
      toolName: "read_file",
      inputParameters: { file_path: "a.ts", offset: 7 },
      status: "EXECUTING",
    }),
    { kind: "read", locations: [{ path: "/work/a.ts", line: 7 }] },
  ],
  [
    "an absolute path unchanged",
    buildToolCall({ inputParameters: { file_path: "C:\\a" } }),
    { kind: "edit", locations: [{ path: "C:\\a" }] },
  ],
])("the update of a tool call shows %s", (_, toolCall, shown) => {
  const [update] = encode(buildEvent({ kind: "TOOL_CALL_UPDATE", toolCall }));
  if (update?.sessionUpdate !== "tool_call") throw new Error("no tool call");
  const content = update.content?.map((each) =>
    each.type === "content" && each.content.type === "text" ? each.content.text : each,
  );

  expect({ ...update, content }).toMatchObject(shown);
});
