// This file is only compiled, not run. If it does not compile, plugins with the same code would not compile
// either.
import { expectTypeOf } from "vitest";
import {
  type AgentClient,
  type AnswerResult,
  type CommandRun,
  type ConfirmationRequest,
  type ConnectionState,
  connect,
  isAccess,
  isBackgroundProcess,
  isMode,
  isQuestion,
  isRewound,
  isText,
  isTitle,
  isTodos,
  isUnknown,
  isUsage,
  isWarning,
  openQuestions,
  type Part,
  type Question,
  type SessionEvent,
  type TaskHandle,
  type TaskView,
  type Todo,
  type ToolCall,
  turnOf,
  type WebSocketConstructor,
} from "./index.js";

/**
 * A switch over every kind, including UNKNOWN, compiles. A switch in which a kind is missing does not
 * compile.
 */
export function describeEvent(event: SessionEvent): string {
  switch (event.kind) {
    case "STATE_CHANGE":
      expectTypeOf(event.waiting).toEqualTypeOf<readonly ToolCall[] | undefined>();
      return event.state;
    case "TEXT_CONTENT":
      expectTypeOf(event.attachments).toEqualTypeOf<readonly Part[] | undefined>();
      return event.text;
    case "THOUGHT":
      return event.thought.subject;
    case "TOOL_CALL_UPDATE":
      return event.toolCall.toolName;
    case "USER_PROMPT":
      return event.origin.name;
    case "ARTIFACT":
      expectTypeOf(event.artifact.parts).toEqualTypeOf<readonly Part[]>();
      return event.artifact.artifactId;
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
      expectTypeOf(event.parts).toEqualTypeOf<readonly Part[]>();
      return event.wireKind;
    default:
      expectTypeOf(event).toBeNever();
      return event;
  }
}

/** Guards narrow an event to its kind. */
export function narrow(event: SessionEvent): void {
  if (isQuestion(event)) {
    expectTypeOf(event.toolCall).toExtend<Question>();
    expectTypeOf(event.toolCall.confirmationRequest).toEqualTypeOf<ConfirmationRequest>();
  }
  if (isText(event)) expectTypeOf(event.text).toBeString();
  if (isUnknown(event)) expectTypeOf(event.wireKind).toBeString();
  if (isTodos(event)) expectTypeOf(event.todos).toEqualTypeOf<readonly Todo[]>();
  if (isUsage(event))
    expectTypeOf(event.report.sessionCost?.amount).toEqualTypeOf<string | undefined>();
  if (isMode(event)) expectTypeOf(event.mode.mode).toBeString();
  if (isTitle(event)) expectTypeOf(event.title).toBeString();
  if (isAccess(event)) expectTypeOf(event.access.role).toBeString();
  if (isWarning(event)) expectTypeOf(event.warning.message).toBeString();
  if (isBackgroundProcess(event)) expectTypeOf(event.backgroundProcess.command).toBeString();
  if (isRewound(event)) expectTypeOf(event.rewound.restoredFiles).toBeBoolean();
}

/** An open question has its confirmation request. An idle task has no open question. */
export function firstQuestion(view: TaskView): ConfirmationRequest | undefined {
  expectTypeOf(openQuestions(view)).toEqualTypeOf<readonly Question[]>();
  const turn = turnOf(view);
  if (turn.status === "asking") return turn.questions[0].confirmationRequest;
  expectTypeOf(turn).not.toHaveProperty("questions");
  return undefined;
}

/** The result of an answer distinguishes an accepted answer from a lost race. */
export function winnerOf(result: AnswerResult): string {
  if (result.accepted) {
    expectTypeOf(result).toEqualTypeOf<{ readonly accepted: true }>();
    return "me";
  }
  return `${result.answeredBy.name} with ${result.selectedOptionId}`;
}

/** A connection has one of four states. */
export function sayConnection(state: ConnectionState): string {
  switch (state.status) {
    case "connected":
      return "connected";
    case "reconnecting":
      return `again in ${state.retryInMs} ms`;
    case "disconnected":
    case "closed":
      return "closed";
  }
}

/** The calls of a working integration, and misuses that do not compile. */
export async function integrate(task: TaskHandle, call: ToolCall): Promise<void> {
  expectTypeOf(connect).returns.resolves.toEqualTypeOf<AgentClient>();
  expectTypeOf(task.view).returns.toEqualTypeOf<TaskView>();
  expectTypeOf(task.events()).toEqualTypeOf<AsyncIterable<SessionEvent>>();
  expectTypeOf<AgentClient["run"]>().returns.resolves.toEqualTypeOf<CommandRun>();
  await task.answer(call, "proceed_once");
  await task.answer(call, { newContent: "edited" });
  // @ts-expect-error An answer is an option's id, edited content or a reason.
  await task.answer(call, true);
  // @ts-expect-error A view is read-only.
  task.view().state = "completed";
  // @ts-expect-error There is no such transport.
  await connect("http://127.0.0.1:41242", { transport: "carrier-pigeon" });
  // @ts-expect-error A part needs a type.
  await task.prompt([{ text: "hi" }]);
  // React's useSyncExternalStore(subscribe, getSnapshot) accepts this method.
  expectTypeOf(task.subscribe).toExtend<(listener: () => void) => () => void>();
}

/** Parameters of a tool must be narrowed before use. The platform's WebSocket is accepted. */
export function readLoose(call: ToolCall): void {
  expectTypeOf(call.inputParameters?.path).toEqualTypeOf<unknown>();
  expectTypeOf<typeof globalThis.WebSocket>().toExtend<WebSocketConstructor>();
}
