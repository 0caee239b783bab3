export type { AgentSessionOptions } from "./assembly/agent-session-options.js";
export { type AgentSession, openAgentSession } from "./assembly/open-agent-session.js";
export {
  type AgentCommand,
  type AgentCommandContext,
  type AgentCommandRegistry,
  type AgentCommandResult,
  createAgentCommandRegistry,
} from "./commands/agent-command.js";
export type { Command, CommandCall, CommandOutcome } from "./commands/command.js";
export { CommandError } from "./commands/command.js";
export { type CommandLine, parseCommandLine } from "./commands/parse-command-line.js";
export { isFreerMode } from "./confirmation/freer-mode.js";
export { ToolError } from "./errors/tool-error.js";
export {
  createExternalEngine,
  type ExternalEngine,
  type ExternalEngineOptions,
} from "./external/create-external-engine.js";
export { type MemoryLedger, openMemoryLedger } from "./ledger/memory-ledger.js";
export { createModel, MODEL_KEYS } from "./model/create-model.js";
export type { HistoryItem, ToolResult } from "./model/history.js";
export { type Model, ModelError, type ModelRequest, type ToolDeclaration } from "./model/model.js";
export type { ModelPart } from "./model/model-part.js";
export type { VariableInfo } from "./model/model-variables.js";
export { createOfflineModel } from "./model/offline/create-offline-model.js";
export { checkSandbox } from "./sandbox/check-sandbox.js";
export { createSession, type SessionOptions } from "./session/create-session.js";
export type { Session } from "./session/session.js";
export { loadDefaultSettings } from "./settings/load-default-settings.js";
export {
  type LoadedSettings,
  type LoadSettingsOptions,
  loadSettings,
} from "./settings/load-settings.js";
export { describeMisspeltVariables } from "./settings/misspelt-variables.js";
export { loadPolicy } from "./settings/policy/load-policy.js";
export type { McpServerSettings } from "./settings/servers/mcp-server-settings.js";
export type { Settings } from "./settings/settings.js";
export { SettingsError } from "./settings/settings-error.js";
export { type SettingsReference, settingsReference } from "./settings/settings-reference.js";
export { createTrust, type Trust, trustFile } from "./settings/trust.js";
export type { Action } from "./tools/action.js";
export { createBuiltinTools, fileTools } from "./tools/builtin/builtin-tools.js";
export type { Plan, Tool, ToolInput, ToolRun } from "./tools/tool.js";
export { createModelEngine } from "./turn/create-model-engine.js";
export type { EngineTurn, TurnEngine } from "./turn/turn-engine.js";
export { openWorkspace, type Workspace, type WorkspacePath } from "./workspace/workspace.js";
