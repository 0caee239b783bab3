export { type AgentDriver, driveAgent, replyOrRefuse } from "./agent/agent-driver.js";
export type {
  AgentMetadata,
  McpServerInfo,
  McpServerStatus,
  ToolInfo,
} from "./agent/agent-metadata.js";
export type {
  AgentLedger,
  AgentPort,
  OpenAgent,
  OpenAgentOptions,
  SealedSecrets,
  SessionSettings,
} from "./agent/agent-port.js";
export type {
  BudgetAmount,
  BudgetDecision,
  BudgetLimits,
  BudgetPort,
  BudgetRequest,
  BudgetUse,
} from "./agent/budget-port.js";
export {
  type Caller,
  CLIENT_ID_HEADER,
  includesRole,
  ROLES,
  type Role,
  toOrigin,
} from "./agent/caller.js";
export { toCost } from "./agent/cost.js";
export { createEventBus, type EventBus } from "./agent/event-bus.js";
export {
  type AgentCall,
  type AgentCallAnswer,
  type AgentCallQuestion,
  type AgentCallResult,
  type AskedQuestion,
  type CallAgent,
  type CalledAgent,
  MAX_CALL_DEPTH,
} from "./agent/external/call-agent.js";
export type { EditorFiles } from "./agent/external/editor-files.js";
export type {
  AgentProcess,
  AgentProcessEnd,
  ConnectAgentOptions,
  ExternalAgent,
  ExternalChoice,
  ExternalCommand,
  ExternalOffer,
  ExternalProgram,
  ExternalSession,
  ExternalTurnEnd,
} from "./agent/external/external-agent.js";
export type {
  ExternalHost,
  ExternalHostReply,
  ExternalTerminal,
  ExternalVerdict,
  ReadRequest,
  TerminalEnd,
  TerminalOutput,
  TerminalRequest,
  WriteRequest,
} from "./agent/external/external-host.js";
export {
  EXTERNAL_CALL_KINDS,
  type ExternalCall,
  type ExternalCallKind,
  type ExternalDiff,
  type ExternalUpdate,
  type ExternalUsage,
} from "./agent/external/external-update.js";
export {
  type FacePort,
  type FaceState,
  type FaceStatus,
  type FaceTraits,
  isOwnOrigin,
  type StopSignal,
} from "./agent/face/face-port.js";
export type { FaceDoneReply, FaceReply } from "./agent/face/face-reply.js";
export type {
  FaceAnswerRequest,
  FaceCommandRequest,
  FaceRequest,
} from "./agent/face/face-request.js";
export type { LedgerEntry, Receipt } from "./agent/ledger-entry.js";
export {
  agentFileDirectory,
  type LocalAgent,
  MAX_AGENT_FILE_BYTES,
  parseAgentFile,
} from "./agent/local-agent.js";
export { type LedgerObserver, observeLedger } from "./agent/observe-ledger.js";
export type { PermissionMode } from "./agent/permission-mode.js";
export type {
  AnswerVerdict,
  CommandReply,
  CommandStart,
  HeldMode,
  ModesReply,
  Permission,
  SessionReply,
  Ticket,
} from "./agent/session-reply.js";
export type {
  AnswerRequest,
  CommandRequest,
  OpenTaskRequest,
  PromptContent,
  QuestionAnswer,
  SessionRequest,
} from "./agent/session-request.js";
export { ERROR_CODES, type ErrorCode } from "./errors/error-codes.js";
export { type ErrorData, isProtocolError, ProtocolError } from "./errors/protocol-error.js";
export { SetupError } from "./errors/setup-error.js";
export {
  type AccessEvent,
  type AgentEvent,
  type ArtifactUpdate,
  type BackgroundProcessEvent,
  type EventHeader,
  type EventKind,
  type ModeEvent,
  type RewoundEvent,
  type SessionEvent,
  START_CURSOR,
  type StampedEvent,
  type StateChange,
  type TextContent,
  type Thought,
  type TitleEvent,
  type TodosEvent,
  type ToolCallUpdate,
  TURN_CANCELLED,
  type UnknownEvent,
  type UsageEvent,
  type UserPrompt,
  type WarningEvent,
} from "./event/agent-event.js";
export { type Artifact, type FilePart, type Part, textOf } from "./event/part.js";
export { isUnfinished, reduceSessionView } from "./event/reduce-session-view.js";
export { MAX_VIEW_ITEMS, reduceTaskView } from "./event/reduce-task-view.js";
export { advanceReply, type ReplyProgress, replyIn } from "./event/reply-progress.js";
export {
  addTransition,
  canMoveTask,
  isInterruptedState,
  isTaskState,
  isTerminalState,
  isWaitingState,
  pathBetween,
  type StateTransition,
  type TaskState,
} from "./event/task-state.js";
export {
  emptyTaskView,
  type FactEvent,
  type ItemEvent,
  isUnprompted,
  openQuestions,
  TASK_VIEW_FORMAT,
  type TaskView,
  type ViewItem,
} from "./event/task-view.js";
export { buildCardEntries, type CardEntry } from "./extension/card-entry.js";
export { findExtensionValue } from "./extension/extension-metadata.js";
export {
  DEFAULT_EXTENSION_URIS,
  DEVELOPMENT_TOOL_URI,
  type ExtensionUris,
  SESSION_URI,
} from "./extension/extension-uri.js";
export { isCompatibleUri } from "./extension/extension-version.js";
export { type ExtensionMatch, findExtension } from "./extension/find-extension.js";
export {
  CommandExecutionStatus,
  type ExecuteSlashCommandResponse,
  type SlashCommand,
  type SlashCommandArgument,
} from "./gen/development_tool/command.js";
export type {
  ConfirmationOption,
  ConfirmationRequest,
  ExecuteDetails,
  GenericDetails,
  McpDetails,
  ModifiedFileDetails,
  ToolCallConfirmation,
} from "./gen/development_tool/confirmation.js";
export type { FileDiff } from "./gen/development_tool/file_diff.js";
export type { AgentSettings, McpServer } from "./gen/development_tool/settings.js";
export type { AgentThought } from "./gen/development_tool/thought.js";
export {
  type ErrorDetails,
  type ToolCall,
  ToolCallStatus,
  type ToolOutput,
} from "./gen/development_tool/tool_call.js";
export type {
  AccessAction,
  AccessChange,
  BackgroundProcess,
  BackgroundProcessState,
  Citation,
  ConfirmationAnswer,
  ConsoleLog,
  Cost,
  ModeChange,
  Origin,
  Presence,
  QueuedPrompt,
  Rewound,
  SessionFacts,
  ThoughtSummary,
  Todo,
  TodoStatus,
  Usage,
  UsageReport,
  Warning,
} from "./gen/dt_session/event.js";
export type { PushConfigInfo } from "./gen/dt_session/push.js";
export type { AccessGrant, AccessList, GrantedSession } from "./gen/dt_session/share.js";
export {
  checkClientSettings,
  describeModelRefusal,
  isModelAllowed,
  isServerAllowed,
  isToolAllowed,
} from "./policy/apply-policy.js";
export { checkShare, type WantedShare } from "./policy/check-share.js";
export { encodePolicy } from "./policy/encode-policy.js";
export type {
  McpServerRule,
  McpServerSource,
  ServerPolicy,
  SharingPolicy,
} from "./policy/server-policy.js";
export { findNearest } from "./text/find-nearest.js";
export { showControl, showControlOnLine } from "./text/show-control.js";
export { advanceToolCall, type ToolCallStep } from "./tool-call/advance-tool-call.js";
export { buildConfirmationOptions, isGrant, OPTION_IDS } from "./tool-call/confirmation-options.js";
export { isTerminalStatus, isWaiting, type Question } from "./tool-call/tool-call-status.js";
export {
  findJson,
  isJsonTextDeep,
  MAX_JSON_DEPTH,
  parseBoundedJson,
} from "./validation/bounded-json.js";
export {
  encodeMessage,
  failAt,
  isNestedDeeper,
  isObject,
  type JsonObject,
  MAX_VALUE_DEPTH,
  type MessageName,
  parseMessage,
} from "./validation/message-json.js";
export type { Messages } from "./validation/messages.js";
