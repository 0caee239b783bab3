export type { Decision, Judgement, PermissionMode } from "./confirmation/permission-policy.js";
export { decide } from "./confirmation/permission-policy.js";
export { ToolError } from "./errors/tool-error.js";
export { type EventBus, openEventBus } from "./ledger/event-bus.js";
export type { Ledger } from "./ledger/ledger.js";
export {
  type MemoryLedger,
  type MemoryLedgerOptions,
  openMemoryLedger,
} from "./ledger/memory-ledger.js";
export { createModel, type ModelOptions } from "./model/create-model.js";
export {
  createGeminiModel,
  type GeminiAccess,
  type GeminiModelOptions,
} from "./model/gemini/create-gemini-model.js";
export type { HistoryItem, ModelSaid, ToolRequest, ToolResult } from "./model/history.js";
export { type Model, ModelError, type ModelRequest, type ToolDeclaration } from "./model/model.js";
export type { ModelPart } from "./model/model-part.js";
export {
  createOfflineModel,
  type OfflineModelOptions,
} from "./model/offline/create-offline-model.js";
export { createOpenaiModel, type OpenaiModelOptions } from "./model/openai/create-openai-model.js";
export type { RetrySchedule } from "./model/retry-schedule.js";
export { type RetryOptions, withRetries } from "./model/with-retries.js";
export type { Prompt, SessionState } from "./record/session-state.js";
export { createSession, type SessionOptions } from "./session/create-session.js";
export type { PromptOptions, Session } from "./session/session.js";
export type { Action, ShellPart } from "./tools/action.js";
export { builtinTools } from "./tools/builtin/builtin-tools.js";
export type {
  ConfirmationDetails,
  Plan,
  Tool,
  ToolInput,
  ToolRun,
} from "./tools/tool.js";
export { defaultTurnLimits, type TurnLimits } from "./turn/turn-limits.js";
export { openWorkspace, type Workspace, type WorkspacePath } from "./workspace/workspace.js";
