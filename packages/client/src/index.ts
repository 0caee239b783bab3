export {
  type AgentSettings,
  type ConfirmationOption,
  type ConfirmationRequest,
  type ErrorCode,
  type EventKind,
  emptyTaskView,
  type FileDiff,
  isProtocolError,
  isRestingState,
  isTerminalState,
  openQuestions,
  optionIds,
  type Part,
  type Presence,
  ProtocolError,
  reduceTaskView,
  type SessionEvent,
  type SlashCommand,
  type TaskState,
  type TaskView,
  type ToolCall,
  textOf,
  type ViewItem,
} from "@dt/schema";
export type { A2aVersion } from "@dt/schema/wire";
export type { CredentialOptions, CredentialRequest, Fresh } from "./access/credentials.js";
export type {
  AgentClient,
  ConnectionState,
  StartTaskOptions,
  TransportKind,
} from "./agent-client.js";
export type { CommandOptions, CommandRun } from "./commands/command-run.js";
export { type ConnectOptions, connect } from "./connect.js";
export { SetupError } from "./errors/setup-error.js";
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
  type Question,
} from "./events/event-guards.js";
export { fileDiffOf } from "./events/file-diff-of.js";
export type { PushAuthentication, PushConfig } from "./push/push-config-codec.js";
export type { PushConfigs } from "./push/push-configs.js";
export type { Answer, AnswerResult, AnswersResult, AnswerTo, LostRace } from "./task/answer.js";
export type { CallOptions } from "./task/call-options.js";
export { filePart, type PromptInput } from "./task/prompt-parts.js";
export type { EventsOptions, SubscribeOptions, TaskHandle } from "./task/task-handle.js";
export type { ListedTasks, ListTasksOptions, TaskList } from "./task/task-list.js";
export type { ReconnectSchedule } from "./transport/reconnect.js";
export type { WebSocketConstructor, WebSocketLike } from "./transport/web-socket.js";
