export {
  type AccessAction,
  type AccessChange,
  type AccessEvent,
  type AccessGrant,
  type AccessList,
  type AgentEvent,
  type AgentSettings,
  type AgentThought,
  type Artifact,
  type ArtifactUpdate,
  type BackgroundProcess,
  type BackgroundProcessEvent,
  type BackgroundProcessState,
  type Citation,
  type CommandExecutionStatus,
  type ConfirmationAnswer,
  type ConfirmationOption,
  type ConfirmationRequest,
  type ConsoleLog,
  type Cost,
  type ErrorCode,
  type ErrorData,
  type ErrorDetails,
  type EventHeader,
  type ExecuteDetails,
  type ExtensionUris,
  type FactEvent,
  type FileDiff,
  type FilePart,
  type GenericDetails,
  type GrantedSession,
  type ItemEvent,
  isProtocolError,
  type JsonObject,
  type McpDetails,
  type McpServer,
  type ModeChange,
  type ModeEvent,
  OPTION_IDS,
  type Origin,
  openQuestions,
  type Part,
  type Presence,
  ProtocolError,
  type Question,
  type QueuedPrompt,
  type Rewound,
  type RewoundEvent,
  type SessionEvent,
  type SessionFacts,
  SetupError,
  type SlashCommand,
  type SlashCommandArgument,
  type StateChange,
  type TaskState,
  type TaskView,
  type TextContent,
  type Thought,
  type ThoughtSummary,
  type TitleEvent,
  type Todo,
  type TodoStatus,
  type TodosEvent,
  type ToolCall,
  type ToolCallStatus,
  type ToolCallUpdate,
  type ToolOutput,
  textOf,
  type UnknownEvent,
  type Usage,
  type UsageEvent,
  type UsageReport,
  type UserPrompt,
  type ViewItem,
  type Warning,
  type WarningEvent,
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
  isAccess,
  isBackgroundProcess,
  isMode,
  isPrompt,
  isQuestion,
  isRewound,
  isText,
  isThought,
  isTitle,
  isTodos,
  isToolCall,
  isUnknown,
  isUsage,
  isWarning,
} from "./events/event-guards.js";
export { fileDiffOf } from "./events/file-diff-of.js";
export { type Turn, turnOf } from "./events/turn-of.js";
export type { PushAuthentication, PushConfig } from "./push/push-config-codec.js";
export type { PushConfigs } from "./push/push-configs.js";
export type { Share, ShareOptions, Sharing, Unshared } from "./sharing/sharing.js";
export type {
  Answer,
  AnswerResult,
  AnswersResult,
  AnswerTo,
  LostRace,
  Refusal,
} from "./task/answer.js";
export type { CallOptions } from "./task/call-options.js";
export { filePart, type PromptInput } from "./task/prompt-parts.js";
export type {
  EventsOptions,
  PromptOptions,
  SubscribeOptions,
  TaskHandle,
} from "./task/task-handle.js";
export type { ListedTasks, ListTasksOptions, TaskList } from "./task/task-list.js";
export type { ReconnectSchedule } from "./transport/reconnect.js";
export type { WallClock } from "./transport/wall-clock.js";
export type { WebSocketConstructor, WebSocketLike } from "./transport/web-socket.js";
