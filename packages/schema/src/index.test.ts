import { describe, expectTypeOf, test } from "vitest";
import {
  type AgentSettings,
  type ErrorCode,
  type EventKind,
  type Messages,
  type Part,
  parseMessage,
  type SessionEvent,
  type TaskView,
  type ToolCall,
  type ToolCallStatus,
} from "./index.js";

describe("public types", () => {
  test("TypeScript narrows the type of an event by its kind", () => {
    expectTypeOf<
      Extract<SessionEvent, { kind: "TOOL_CALL_UPDATE" }>["toolCall"]
    >().toEqualTypeOf<ToolCall>();
    expectTypeOf<Extract<SessionEvent, { kind: "TEXT_CONTENT" }>["text"]>().toBeString();
    expectTypeOf<Extract<SessionEvent, { kind: "STATE_CHANGE" }>>().not.toHaveProperty("text");
  });

  test("a switch over all kinds is exhaustive [RFC-18]", () => {
    expectTypeOf(describeEvent).parameter(0).toEqualTypeOf<SessionEvent>();
    expectTypeOf(describeEvent).returns.toBeString();
    expectTypeOf<EventKind>().toEqualTypeOf<SessionEvent["kind"]>();
  });

  test("parseMessage returns the type that belongs to the message's name", () => {
    expectTypeOf(parseMessage<"AgentSettings">).returns.toEqualTypeOf<AgentSettings>();
    expectTypeOf(parseMessage<"ToolCall">).returns.toEqualTypeOf<ToolCall>();
    expectTypeOf<"NoSuchMessage">().not.toExtend<keyof Messages>();
  });

  test("a result is either an output or an error [RFC-13]", () => {
    type Result = NonNullable<ToolCall["result"]>;
    expectTypeOf<Result["$case"]>().toEqualTypeOf<"output" | "error">();
    expectTypeOf<ToolCallStatus>().toExtend<string>();
  });

  test("values that cross a boundary are read-only", () => {
    expectTypeOf<TaskView["items"]>().not.toExtend<unknown[]>();
    expectTypeOf<ToolCall>().pick("status").toEqualTypeOf<{ readonly status: ToolCallStatus }>();
  });

  test("a part is text, data or a file", () => {
    expectTypeOf<Part["type"]>().toEqualTypeOf<"text" | "data" | "file">();
    expectTypeOf<ErrorCode>().extract<"task-not-found">().toEqualTypeOf<"task-not-found">();
  });
});

// This function does not compile if a kind is missing. A switch in a client would not compile either.
function describeEvent(event: SessionEvent): string {
  switch (event.kind) {
    case "STATE_CHANGE":
      return event.state;
    case "TEXT_CONTENT":
      return event.text;
    case "THOUGHT":
      return event.thought.subject;
    case "TOOL_CALL_UPDATE":
      return event.toolCall.toolName;
    case "USER_PROMPT":
      return event.origin.name;
    case "ARTIFACT":
      return event.artifact.name ?? event.artifact.artifactId;
    case "CITATION":
      return event.citation.uri;
    case "CONSOLE_LOG":
      return event.log.content;
    case "THOUGHT_SUMMARY":
      return event.thoughtSummary.summary;
    case "AGENT_SETTINGS":
      return event.settings.workspacePath;
    case "QUEUE":
      return String(event.prompts.length);
    case "TODOS":
      return String(event.todos.length);
    case "USAGE":
      return event.report.sessionCost?.amount ?? "";
    case "MODE":
      return event.mode.mode;
    case "TITLE":
      return event.title;
    case "WARNING":
      return event.warning.message;
    case "BACKGROUND_PROCESS":
      return event.backgroundProcess.command;
    case "REWOUND":
      return event.rewound.messageId;
    case "ACCESS":
      return event.access.user;
    case "UNKNOWN":
      return event.wireKind;
  }
}
