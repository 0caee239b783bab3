export {
  type AgentEvent,
  type AgentSettings,
  type AgentThought,
  type Citation,
  type CommandExecutionStatus,
  type ConfirmationAnswer,
  type ConfirmationOption,
  type ConfirmationRequest,
  type ConsoleLog,
  type ErrorCode,
  type ErrorData,
  type ErrorDetails,
  type EventHeader,
  type ExecuteDetails,
  type ExtensionUris,
  type FileDiff,
  type FilePart,
  type GenericDetails,
  type ItemEvent,
  isProtocolError,
  type JsonObject,
  type McpDetails,
  type McpServer,
  OPTION_IDS,
  type Origin,
  openQuestions,
  type Part,
  type Presence,
  ProtocolError,
  type Question,
  type QueuedPrompt,
  type SessionEvent,
  SetupError,
  type SlashCommand,
  type SlashCommandArgument,
  type StateChange,
  type TaskState,
  type TaskView,
  type TextContent,
  type Thought,
  type ThoughtSummary,
  type ToolCall,
  type ToolCallStatus,
  type ToolCallUpdate,
  type ToolOutput,
  textOf,
  type UnknownEvent,
  type Usage,
  type UserPrompt,
  type ViewItem,
} from "@dt/schema";
export type { A2aVersion } from "@dt/schema/wire";
export type { CredentialOptions, CredentialRequest, Refreshable } from "./access/credentials.js";
export type {
  AgentClient,
  ConnectionState,
  StartTaskOptions,
  TransportKind,
} from "./agent-client.js";
export type { CommandOptions, CommandRun } from "./commands/command-run.js";
export { connect } from "./connect.js";
export type { ConnectOptions } from "./connect-options.js";
export {
  isTransportError,
  TransportError,
  type TransportReason,
} from "./errors/transport-error.js";
export {
  isPrompt,
  isQuestion,
  isText,
  isThought,
  isToolCall,
  isUnknown,
} from "./events/event-guards.js";
export { fileDiffOf } from "./events/file-diff-of.js";
export { type Turn, turnOf } from "./events/turn-of.js";
export type { PushAuthentication, PushConfig } from "./push/push-config-codec.js";
export type { PushConfigs } from "./push/push-configs.js";
export type { Answer, AnswerResult, AnswersResult, AnswerTo, LostRace } from "./task/answer.js";
export type { CallOptions } from "./task/call-options.js";
export { filePart, type PromptInput } from "./task/prompt-parts.js";
export type { EventsOptions, SubscribeOptions, TaskHandle } from "./task/task-handle.js";
export type { ListedTasks, ListTasksOptions, TaskList } from "./task/task-list.js";
export type { ReconnectSchedule } from "./transport/reconnect.js";
export type { WallClock } from "./transport/wall-clock.js";
export type { WebSocketConstructor, WebSocketLike } from "./transport/web-socket.js";
