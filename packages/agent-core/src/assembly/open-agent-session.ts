import { lookup } from "node:dns/promises";
import path from "node:path";
import type { AgentLedger, AgentSettings, JsonObject } from "@dt/schema";
import { type AllowList, parseAllowList } from "@dt/schema/address";
import { openCheckpoints } from "../checkpoints/open-checkpoints.js";
import { createRestoreTool } from "../checkpoints/restore-tool.js";
import { createBuiltinCommands } from "../commands/builtin/builtin-commands.js";
import type { Command } from "../commands/command.js";
import { createCommandRegistry } from "../commands/command-registry.js";
import { loadCustomCommands } from "../commands/custom/load-custom-commands.js";
import { joinCommands } from "../commands/join-commands.js";
import { createExtensionSwitchTool } from "../extensions/extension-switch-tool.js";
import { createModel } from "../model/create-model.js";
import type { Model } from "../model/model.js";
import { restoreState } from "../record/restore-state.js";
import { createSession } from "../session/create-session.js";
import { endOutlivedCalls } from "../session/end-outlived-calls.js";
import type { Session } from "../session/session.js";
import type { Settings } from "../settings/settings.js";
import { describeFault } from "../settings/settings-error.js";
import { createBuiltinTools } from "../tools/builtin/builtin-tools.js";
import { createModelEngine } from "../turn/create-model-engine.js";
import { cleanEnvironment } from "../workspace/processes/clean-environment.js";
import { openWorkspace } from "../workspace/workspace.js";
import { openAgentMemory } from "./agent-memory.js";
import { type AgentMetadata, toAgentMetadata } from "./agent-metadata.js";
import { openAgentServers } from "./agent-servers.js";
import { clientSettings, createClientModel } from "./client-settings.js";
import { loadConfiguration } from "./load-configuration.js";
import { createOffer } from "./offered-tools.js";
import { buildSystemPrompt } from "./system-prompt.js";

/** Where a session works, and what it may use. All that comes from the system is passed in. */
export interface AgentSessionOptions {
  readonly workspacePath: string;
  /** The person's home directory. */
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** A directory for this session alone: outputs and checkpoints. */
  readonly dataDirectory: string;
  /** Where the app keeps the data of all sessions: each change in there is asked about. */
  readonly agentDirectories?: readonly string[];
  readonly ledger: AgentLedger;
  readonly journal?: readonly JsonObject[];
  /** Why the session that wrote the journal stopped; see {@link SessionOptions.interruption}. */
  readonly interruption?: string;
  /** A task that stays open as long as the session does; see {@link SessionOptions.openTaskId}. */
  readonly openTaskId?: string;
  /** Whether a credential has not ended; see {@link SessionOptions.isCredentialAlive}. */
  readonly isCredentialAlive?: (credential: string) => boolean;
  /** The credential of the host's own terminal, which alone may run `/trust` and is not asked about `/memory add`. Default: nobody's. */
  readonly hostCredential?: string;
  /** Throws a ModelError if no model is named and no key is set. Default: the offline model answers. */
  readonly needsModel?: boolean;
  /** What the command line decided. */
  readonly flags?: Settings;
  /** What a client asked for when it opened the session. */
  readonly client?: AgentSettings;
  /** Whether that client connected over loopback; only then may its MCP servers be on this machine. */
  readonly isClientLocal?: boolean;
  /** Where else than on the public internet a client's MCP servers may be. Default: nowhere. */
  readonly mcpAllowList?: AllowList;
  /** Commands of the program that embeds the agent. */
  readonly commands?: readonly Command[];
  /** Told of settings that were left out, and why. */
  readonly onWarning?: (warning: string) => void;
  readonly onFault?: (reason: unknown) => void;
  readonly now?: () => Date;
}

/** A session with everything that settings, extensions and MCP servers bring. */
export interface AgentSession extends Session {
  /** The model, the MCP servers and the tools as they are now. */
  metadata(): AgentMetadata;
}

/**
 * Opens a session the way `dt` and `dt-server` do: settings from their files, extensions, context
 * files, MCP servers, all tools and commands, checkpoints. Closing it ends all of that.
 */
export async function openAgentSession(options: AgentSessionOptions): Promise<AgentSession> {
  try {
    return await assembleSession(options);
  } catch (reason) {
    // A session that cannot be opened again must not leave a command running either.
    await endOutlivedOf(options.journal).catch(() => undefined);
    throw reason;
  }
}

async function endOutlivedOf(journal: AgentSessionOptions["journal"]): Promise<void> {
  await endOutlivedCalls(restoreState(journal));
}

async function assembleSession(options: AgentSessionOptions): Promise<AgentSession> {
  const { home, environment, dataDirectory, now = () => new Date() } = options;
  const workspace = await openWorkspace(options.workspacePath, {
    agentDirectories: [dataDirectory, ...(options.agentDirectories ?? [])],
  });
  const place = { home, environment, workspace: workspace.root };
  const {
    mcpServers: clientServers = {},
    allowedTools: clientTools,
    ...client
  } = options.client === undefined ? {} : clientSettings(options.client);
  const configuration = await loadConfiguration(place, { ...options.flags, ...client });
  const { settings, joined } = configuration;

  // Before anything is started: a model without its key ends it here.
  const modelOf = (name: string | undefined): Model =>
    createModel({
      environment,
      ...(name !== undefined && { name }),
      ...(options.needsModel !== undefined && { isRequired: options.needsModel }),
      ...(settings.contextTokens !== undefined && { contextTokens: settings.contextTokens }),
      ...(settings.modelSilenceMs !== undefined && { silenceMs: settings.modelSilenceMs }),
    });
  const model = createClientModel(options.client, () =>
    modelOf(settings.model ?? findChosenModel(options.journal)),
  );

  const memoryFile = path.join(configuration.directory, "AGENTS.md");
  const contextFiles = {
    ...place,
    extensionFiles: joined.contextFiles,
    ...(settings.context?.fileNames && { fileNames: settings.context.fileNames }),
  };
  const [memory, checkpoints] = await Promise.all([
    openAgentMemory(contextFiles, memoryFile),
    openCheckpoints({ directory: path.join(dataDirectory, "checkpoints"), now }),
  ]);
  const outputDirectory = path.join(dataDirectory, "output");
  const ownTools = [
    ...createBuiltinTools({ environment, memoryFile, outputDirectory }),
    createRestoreTool({
      checkpoints,
      currentTurn: () => session.snapshot().turn?.prompt.turn ?? session.snapshot().turns,
    }),
    createExtensionSwitchTool(configuration.extensions),
  ];
  const servers = openAgentServers({
    configured: joined.mcpServers,
    client: clientServers,
    addressRules: {
      allowList: options.mcpAllowList ?? parseAllowList([]),
      allowsLoopback: options.isClientLocal === true,
      resolveName: (host) => lookup(host, { all: true }),
    },
    environment: cleanEnvironment(environment),
    directory: workspace.root,
    takenNames: ownTools.map(({ name }) => name),
  });
  const offer = createOffer(() => [...ownTools, ...servers.tools()], {
    // A client leaves tools out, and brings back none that the host leaves out.
    allowed: [settings.allowedTools, clientTools],
    excluded: joined.excludedTools,
  });
  const currentModel = () => session.snapshot().modelName ?? model.name;
  const mode = settings.mode ?? "default";
  const builtin = createBuiltinCommands({
    workspaceRoot: workspace.root,
    tools: () => offer().filter(({ isInternal }) => isInternal !== true),
    excludedTools: () => joined.excludedTools,
    currentModel,
    commands: () => createCommandRegistry(() => commands).list(),
    mcp: servers,
    memory,
    checkpoints,
    extensions: configuration.extensions,
    trust: configuration.trust,
  });
  const takenNames = builtin.map(({ name }) => name);
  const directories = configuration.commandDirectories;
  const custom = await orClose(servers, loadCustomCommands({ directories, workspace, takenNames }));
  const warnings = [...configuration.warnings, ...custom.warnings.map(describeFault)];
  for (const warning of warnings) options.onWarning?.(warning);
  const commands = joinCommands(builtin, options.commands ?? [], custom.commands);

  const engine = createModelEngine({
    model,
    createModel: modelOf,
    tools: offer,
    ready: servers.ready,
    prelude: servers.prelude,
    workspace,
    checkpoints,
    nowMs: () => now().getTime(),
    commands: () => commands,
    ...(settings.limits && { limits: settings.limits }),
    system: () =>
      buildSystemPrompt({
        workspaceRoot: workspace.root,
        platform: process.platform,
        today: now().toISOString().slice(0, 10),
        context: memory.text,
        instructions: servers.status().flatMap(({ instructions }) => instructions ?? []),
      }),
  });
  const opening = createSession({
    engine,
    mode,
    now,
    ledger: options.ledger,
    ...(options.isCredentialAlive && { isCredentialAlive: options.isCredentialAlive }),
    ...(options.hostCredential !== undefined && { hostCredential: options.hostCredential }),
    ...(options.journal && { journal: options.journal }),
    ...(options.interruption !== undefined && { interruption: options.interruption }),
    ...(options.openTaskId !== undefined && { openTaskId: options.openTaskId }),
    ...(options.onFault && { onFault: options.onFault }),
  });
  const session = await orClose(servers, opening);
  return {
    ...session,
    metadata: () => toAgentMetadata(currentModel(), servers.status(), offer()),
    async close() {
      try {
        await session.close();
      } finally {
        await servers.close();
      }
    },
  };
}

/** The model that a session chose with `/model` before it stopped. */
function findChosenModel(journal: AgentSessionOptions["journal"]): string | undefined {
  const name = journal?.findLast(({ type }) => type === "model-set")?.name;
  return typeof name === "string" ? name : undefined;
}

/** What could not be opened must not leave running what was started for it. */
async function orClose<TResult>(
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
