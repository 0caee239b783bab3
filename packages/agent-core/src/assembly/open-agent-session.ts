import {
  type AgentMetadata,
  checkClientSettings,
  isToolAllowed,
  type ServerPolicy,
} from "@dt/schema";
import { createSessionBudget, type SessionBudget } from "../budget/session-budget.js";
import { type AgentClock, MACHINE_CLOCK } from "../clock.js";
import type { Command } from "../commands/command.js";
import { isFreerMode } from "../confirmation/freer-mode.js";
import { createExternalEngine, type ExternalEngine } from "../external/create-external-engine.js";
import { withoutModelCommands } from "../external/external-commands.js";
import { restoreState } from "../record/restore-state.js";
import { createSession } from "../session/create-session.js";
import { endOrphanedCalls } from "../session/end-orphaned-calls.js";
import type { Session } from "../session/session.js";
import { createModelEngine } from "../turn/create-model-engine.js";
import type { TurnEngine } from "../turn/turn-engine.js";
import { openWorkspace, type Workspace } from "../workspace/workspace.js";
import { loadAgentCommands } from "./agent-commands.js";
import { type AgentModels, createAgentModels } from "./agent-models.js";
import type { AgentSessionOptions } from "./agent-session-options.js";
import { type AgentTools, openAgentTools } from "./agent-tools.js";
import { toClientSettings } from "./client-settings.js";
import { type Configuration, loadConfiguration } from "./load-configuration.js";
import { buildSystemPrompt } from "./system-prompt.js";

/** A session with settings, extensions and MCP servers. */
export interface AgentSession extends Session {
  /** Returns the current model, MCP servers and tools. */
  metadata(): AgentMetadata;
}

/**
 * Opens a session as `dt` and `dt-server` do: with settings from files, extensions, context files, MCP
 * servers, all tools and commands, and checkpoints. Closing the session also stops its MCP servers.
 */
export async function openAgentSession(options: AgentSessionOptions): Promise<AgentSession> {
  try {
    return await assembleSession(options);
  } catch (reason) {
    // An earlier run of this session may have left processes running. They must end even if this run cannot be opened.
    await endOrphansOf(options.journal).catch(() => undefined);
    throw reason;
  }
}

async function endOrphansOf(journal: AgentSessionOptions["journal"]): Promise<void> {
  await endOrphanedCalls(restoreState(journal));
}

async function assembleSession(options: AgentSessionOptions): Promise<AgentSession> {
  const { home, environment, clock = MACHINE_CLOCK, policy = {}, defaultsFile } = options;
  checkClient(options.client, policy);
  const workspace = await openWorkspace(options.workspacePath, {
    agentDirectories: [options.dataDirectory, ...(options.agentDirectories ?? [])],
    ...(options.editorFiles !== undefined && { editorFiles: options.editorFiles }),
  });
  const { mcpServers, allowedTools, ...client } =
    options.client === undefined ? {} : toClientSettings(options.client);
  const { configuration, mayExist, ...loaded } = await loadConfiguration(
    { home, environment, workspace: workspace.root, now: clock.now(), policy, defaultsFile },
    { ...options.flags, ...client },
  );
  // The models are created first, because a missing key must stop the session before an MCP server starts.
  const models = createAgentModels(options, configuration.settings);
  const tools = await openAgentTools({
    options,
    workspace,
    configuration,
    mayExist,
    client: { ...(mcpServers && { mcpServers }), ...(allowedTools && { allowedTools }) },
    clock,
    snapshot: () => session.snapshot(),
  });
  const budget = createSessionBudget(options.budget, configuration.settings.budget);
  const currentModel = () => session.snapshot().modelName ?? models.model.name;
  const loading = loadAgentCommands({
    workspace,
    configuration,
    policy,
    tools,
    added: options.commands ?? [],
    currentModel,
    ...(budget && { budget }),
  });
  const { list: commands, warnings } = await closeOnFailure(tools.servers, loading);
  const allWarnings = [
    ...(options.warnings ?? []),
    ...loaded.warnings,
    ...warnings,
    ...limitedMode(configuration, policy),
    ...unsandboxedAgent(options, tools),
  ];
  for (const warning of allWarnings) options.onWarning?.(warning);
  const parts = { workspace, configuration, models, tools, commands, budget, clock };
  const engine = createSessionEngine(options, parts);
  const opening = createSession({
    engine,
    mode: configuration.settings.mode ?? "default",
    ...(policy.maxMode !== undefined && { maxMode: policy.maxMode }),
    now: clock.now,
    ledger: options.ledger,
    ...(options.announcesWarnings === true && { warnings: allWarnings }),
    ...(options.isCredentialAlive && { isCredentialAlive: options.isCredentialAlive }),
    ...(options.hostCredential !== undefined && { hostCredential: options.hostCredential }),
    ...(options.journal && { journal: options.journal }),
    ...(options.interruption !== undefined && { interruption: options.interruption }),
    ...(options.openTaskId !== undefined && { openTaskId: options.openTaskId }),
    ...(options.onFault && { onFault: options.onFault }),
  });
  const session = await closeOnFailure(tools.servers, opening);
  // The members are written out, because a spread would give each session's object its own hidden class,
  // which costs memory.
  return {
    handle: session.handle,
    snapshot: session.snapshot,
    metadata: () => engine.metadata(session.snapshot()),
    async close() {
      try {
        await session.close();
      } finally {
        await Promise.all([engine.close(), tools.servers.close()]);
      }
    },
  };
}

// Throws if the policy forbids the model or the MCP servers of a client. A mode that is too free is not refused
// here, because each turn is limited to the freest mode that the policy allows.
function checkClient(client: AgentSessionOptions["client"], policy: ServerPolicy): void {
  const { model, mcpServers } = client ?? {};
  checkClientSettings(policy, {
    ...(model !== undefined && { model }),
    ...(mcpServers !== undefined && { mcpServers }),
  });
}

/** Returns a warning if the settings have a mode that is freer than the policy allows. */
function limitedMode({ settings }: Configuration, { maxMode }: ServerPolicy): readonly string[] {
  const { mode = "default" } = settings;
  if (maxMode === undefined || !isFreerMode(mode, maxMode)) return [];
  return [`the mode is ${maxMode} instead of ${mode}, because the policy allows no freer mode`];
}

/** Returns a warning if there is an external agent and a sandbox, because the agent runs outside of the sandbox. */
function unsandboxedAgent(
  { externalAgent }: AgentSessionOptions,
  { sandbox }: AgentTools,
): readonly string[] {
  if (externalAgent === undefined || sandbox === undefined) return [];
  return [
    `the sandbox holds only the commands that ${externalAgent.name} asks dt to run; the agent itself runs outside of it`,
  ];
}

interface AgentEngineOptions {
  readonly workspace: Workspace;
  readonly configuration: Configuration;
  readonly models: AgentModels;
  readonly tools: AgentTools;
  readonly commands: () => readonly Command[];
  readonly budget: SessionBudget | undefined;
  readonly clock: AgentClock;
}

/** Creates the engine: an external agent if there is one, else our own model and tools. */
function createSessionEngine(
  { externalAgent: agent, environment, policy = {} }: AgentSessionOptions,
  parts: AgentEngineOptions,
): ExternalEngine {
  if (agent === undefined) return { ...createAgentEngine(parts), close: async () => {} };
  const { workspace, configuration, tools, commands, budget, clock } = parts;
  return createExternalEngine({
    agent,
    workspace,
    environment,
    commands: () => withoutModelCommands(commands()),
    sandbox: tools.sandbox,
    tools: tools.offeredTools,
    isToolAllowed: (name) => isToolAllowed(policy, name),
    checkpoints: { save: async (edit) => await (await tools.checkpoints()).save(edit) },
    budget,
    prices: configuration.settings.prices,
    maxWorkMs: configuration.settings.limits?.maxWorkMs,
    elapsedMs: clock.elapsedMs,
  });
}

function createAgentEngine(options: AgentEngineOptions): TurnEngine {
  const { workspace, models, tools, commands, budget, clock } = options;
  const { limits, prices } = options.configuration.settings;
  const { memory, checkpoints, servers, sandbox, offeredTools } = tools;
  return createModelEngine({
    model: models.model,
    createModel: models.createModel,
    isModelAllowed: models.isAllowed,
    tools: offeredTools,
    mcpServers: servers.status,
    ready: servers.ready,
    prelude: servers.prelude,
    workspace,
    checkpoints: { save: async (edit) => await (await checkpoints()).save(edit) },
    elapsedMs: clock.elapsedMs,
    commands,
    limits,
    prices,
    budget,
    system: () =>
      buildSystemPrompt({
        workspaceRoot: workspace.root,
        platform: process.platform,
        isolation: sandbox?.isolation,
        today: clock.now().toISOString().slice(0, 10),
        context: memory.text,
        instructions: servers.status().flatMap(({ instructions }) => instructions ?? []),
      }),
  });
}

/** Closes the servers if a later step fails, so that no server is left running. */
async function closeOnFailure<TResult>(
  started: { close(): Promise<void> },
  work: Promise<TResult>,
): Promise<TResult> {
  try {
    return await work;
  } catch (reason) {
    await started.close();
    throw reason;
  }
}
