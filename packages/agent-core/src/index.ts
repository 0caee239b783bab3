export type { Decision, Judgement, PermissionMode } from "./confirmation/permission-policy.js";
export { decide } from "./confirmation/permission-policy.js";
export { ToolError } from "./errors/tool-error.js";
export type { Ledger } from "./ledger/ledger.js";
export {
  type MemoryLedger,
  type MemoryLedgerOptions,
  openMemoryLedger,
} from "./ledger/memory-ledger.js";
export type { HistoryItem, ModelSaid, ToolRequest, ToolResult } from "./model/history.js";
export { type Model, ModelError, type ModelRequest, type ToolDeclaration } from "./model/model.js";
export type { ModelPart } from "./model/model-part.js";
export { createOfflineModel } from "./model/offline/create-offline-model.js";
export type { Prompt, SessionState } from "./record/session-state.js";
export { createSession, type SessionOptions } from "./session/create-session.js";
export type { Session } from "./session/session.js";
export type { Action, ShellPart } from "./tools/action.js";
export { builtinTools } from "./tools/builtin/builtin-tools.js";
export type {
  ConfirmationDetails,
  Plan,
  Tool,
  ToolInput,
  ToolRun,
} from "./tools/tool.js";
export { openWorkspace, type Workspace, type WorkspacePath } from "./workspace/workspace.js";
