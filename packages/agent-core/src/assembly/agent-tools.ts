import { lookup } from "node:dns/promises";
import path from "node:path";
import { type CallAgent, isToolAllowed, type ServerPolicy } from "@dt/schema";
import { parseAllowList } from "@dt/schema/address";
import type { CheckpointSource } from "../checkpoints/checkpoint.js";
import { createCheckpointSource } from "../checkpoints/open-checkpoints.js";
import { createRestoreTool } from "../checkpoints/restore-tool.js";
import type { AgentClock } from "../clock.js";
import { createExtensionSwitchTool } from "../extensions/extension-switch-tool.js";
import { openSandbox } from "../sandbox/open-sandbox.js";
import type { Session } from "../session/session.js";
import type { MayExist } from "../settings/files/directory-listing.js";
import type { Settings } from "../settings/settings.js";
import { createBuiltinTools, createWrittenFiles } from "../tools/builtin/builtin-tools.js";
import { createCallAgentTool } from "../tools/builtin/call-agent/call-agent.js";
import type { Tool } from "../tools/tool.js";
import { cleanEnvironment } from "../workspace/processes/clean-environment.js";
import type { Sandbox } from "../workspace/processes/sandbox.js";
import type { Workspace } from "../workspace/workspace.js";
import { type AgentMemory, openAgentMemory } from "./agent-memory.js";
import { type AgentServers, openAgentServers } from "./agent-servers.js";
import type { AgentSessionOptions } from "./agent-session-options.js";
import { toCallableAgents } from "./callable-agents.js";
import type { Configuration } from "./load-configuration.js";

/** The tools of a session and the services that they use. */
export interface AgentTools {
  readonly memory: AgentMemory;
  readonly checkpoints: CheckpointSource;
  readonly servers: AgentServers;
  /** Sandbox of commands; undefined if the settings ask for none. */
  readonly sandbox: Sandbox | undefined;
  /** Lists the tools that the model may use at the moment, and internal tools, which the model never sees. */
  offeredTools(): readonly Tool[];
}

/** Dependencies of the tools of a session. */
export interface AgentToolsOptions {
  readonly options: AgentSessionOptions;
  readonly workspace: Workspace;
  readonly configuration: Configuration;
  readonly mayExist: MayExist;
  /** MCP servers and tools that the client named. */
  readonly client: Pick<Settings, "mcpServers" | "allowedTools">;
  readonly clock: AgentClock;
  /** Returns the state of the session. Called only after the session exists. */
  readonly snapshot: Session["snapshot"];
}

/** Reads the context files and starts the configured MCP servers. */
export async function openAgentTools(given: AgentToolsOptions): Promise<AgentTools> {
  const { options, workspace, configuration, mayExist, client, clock, snapshot } = given;
  const { home, environment, dataDirectory } = options;
  const { settings, joined } = configuration;
  const memoryFile = path.join(configuration.directory, "AGENTS.md");
  const contextFiles = {
    home,
    environment,
    workspace: workspace.root,
    extensionFiles: joined.contextFiles,
    ...(settings.context?.fileNames && { fileNames: settings.context.fileNames }),
  };
  const memory = await openAgentMemory(contextFiles, memoryFile, mayExist);
  const { elapsedMs, now } = clock;
  const checkpoints = createCheckpointSource({
    directory: path.join(dataDirectory, "checkpoints"),
    now,
  });
  const outputDirectory = path.join(dataDirectory, "output");
  const written = createWrittenFiles();
  const sandbox = await openSandbox({
    settings: settings.sandbox,
    environment,
    home,
    workspace,
    temporaryDirectory: path.join(dataDirectory, "tmp"),
    agentDirectories: [dataDirectory, ...(options.agentDirectories ?? [])],
  });
  // The tools are created for each use, because an idle session should need little memory.
  const createOwnTools = () => [
    ...createBuiltinTools({
      environment,
      memoryFile,
      outputDirectory,
      elapsedMs,
      written,
      sandbox,
    }),
    createRestoreTool({
      checkpoints,
      currentTurn: () => snapshot().turn?.prompt.turn ?? snapshot().turns,
    }),
    createExtensionSwitchTool(configuration.extensions),
    ...createAgentTools(options.callAgent, settings.agents),
  ];
  const servers = openAgentServers({
    configured: joined.mcpServers,
    client: client.mcpServers ?? {},
    addressRules: {
      allowList: options.mcpAllowList ?? parseAllowList([]),
      allowsLoopback: options.isClientLocal === true,
      resolveName: (host) => lookup(host, { all: true }),
    },
    environment: cleanEnvironment(environment),
    directory: workspace.root,
    sandbox,
    elapsedMs,
    takenNames: () => createOwnTools().map(({ name }) => name),
  });
  const offeredTools = createToolFilter(() => [...createOwnTools(), ...servers.tools()], {
    // A client can exclude tools, but cannot allow a tool that the host or the policy excludes.
    allowed: [settings.allowedTools, client.allowedTools],
    excluded: joined.excludedTools,
    policy: options.policy ?? {},
  });
  return { memory, checkpoints, servers, sandbox, offeredTools };
}

/** Creates the tool that calls other agents, if the settings name any. */
function createAgentTools(
  callAgent: CallAgent | undefined,
  agents: Settings["agents"] = {},
): readonly Tool[] {
  if (callAgent === undefined || Object.keys(agents).length === 0) return [];
  return [createCallAgentTool({ agents: toCallableAgents(agents), callAgent })];
}

interface ToolRules {
  /** A tool is offered only if every list contains it. An undefined list allows all tools. */
  readonly allowed: readonly (readonly string[] | undefined)[];
  /** Tools that are never offered. */
  readonly excluded: readonly string[];
  readonly policy: ServerPolicy;
}

/** Returns a function that lists the current tools that the rules allow, and all internal tools. (RFC-07) */
function createToolFilter(
  tools: () => readonly Tool[],
  { allowed, excluded, policy }: ToolRules,
): () => readonly Tool[] {
  const isAllowed = (name: string) => allowed.every((names) => names?.includes(name) ?? true);
  const isOffered = ({ name, isInternal = false }: Tool) =>
    isInternal || (isAllowed(name) && !excluded.includes(name) && isToolAllowed(policy, name));
  return () => tools().filter(isOffered);
}
