export type { AgentMetadata, ToolInfo } from "./assembly/agent-metadata.js";
export type { AgentSessionOptions } from "./assembly/agent-session-options.js";
export { type AgentSession, openAgentSession } from "./assembly/open-agent-session.js";
export type {
  Command,
  CommandCall,
  CommandCaller,
  CommandEffect,
  CommandInvocation,
  CommandOutcome,
} from "./commands/command.js";
export { CommandError } from "./commands/command.js";
export { type ExtensionList, listExtensions } from "./commands/list-extensions.js";
export { type CommandLine, parseCommandLine } from "./commands/parse-command-line.js";
export { isFreerMode } from "./confirmation/freer-mode.js";
export { ToolError } from "./errors/tool-error.js";
export { type Extension, type ListedExtension, toListedExtension } from "./extensions/extension.js";
export {
  createExtensionSwitches,
  type ExtensionSwitches,
} from "./extensions/extension-switches.js";
export { type EventBus, openEventBus } from "./ledger/event-bus.js";
export {
  type MemoryLedger,
  type MemoryLedgerOptions,
  openMemoryLedger,
} from "./ledger/memory-ledger.js";
export { createModel, type ModelOptions, modelKeys } from "./model/create-model.js";
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
export type { RetrySchedule } from "./model/retry/retry-schedule.js";
export { type RetryOptions, withRetries } from "./model/retry/with-retries.js";
export type { Prompt, SessionState } from "./record/session-state.js";
export { createSession, type SessionOptions } from "./session/create-session.js";
export type { Session } from "./session/session.js";
export { describeMisspeltVariables } from "./settings/misspelt-variables.js";
export type {
  HttpMcpServer,
  McpServerSettings,
  StdioMcpServer,
} from "./settings/servers/mcp-server-settings.js";
export type { Settings, SettingsLimits, SettingsMode } from "./settings/settings.js";
export { describeFault, SettingsError, type SettingsFault } from "./settings/settings-error.js";
export { settingsJsonSchema } from "./settings/settings-schema.js";
export { createTrust, type Trust, trustFile } from "./settings/trust.js";
export type { ShellPart } from "./shell/shell-part.js";
export type { Action } from "./tools/action.js";
export {
  type BuiltinToolsOptions,
  builtinTools,
  createBuiltinTools,
} from "./tools/builtin/builtin-tools.js";
export type {
  ConfirmationDetails,
  Plan,
  Tool,
  ToolInput,
  ToolRun,
} from "./tools/tool.js";
export type { ToolSource } from "./tools/tool-registry.js";
export { createModelEngine, type ModelEngineOptions } from "./turn/create-model-engine.js";
export { defaultTurnLimits, type TurnLimits } from "./turn/limits/turn-limits.js";
export type { EngineTurn, TurnEngine } from "./turn/turn-engine.js";
export { openWorkspace, type Workspace, type WorkspacePath } from "./workspace/workspace.js";
