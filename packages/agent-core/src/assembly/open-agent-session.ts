import path from "node:path";
import type { AgentSettings, JsonObject } from "@dt/schema";
import { openCheckpoints } from "../checkpoints/open-checkpoints.js";
import { createRestoreTool } from "../checkpoints/restore-tool.js";
import { createBuiltinCommands } from "../commands/builtin/builtin-commands.js";
import type { Command } from "../commands/command.js";
import { createCommandRegistry } from "../commands/command-registry.js";
import { createExtensionSwitches } from "../extensions/extension-switches.js";
import { joinExtensions } from "../extensions/join-extensions.js";
import { loadExtensions } from "../extensions/load-extensions.js";
import type { Ledger } from "../ledger/ledger.js";
import { openMcpManager } from "../mcp/mcp-manager.js";
import { createModel } from "../model/create-model.js";
import type { Model } from "../model/model.js";
import { createSession } from "../session/create-session.js";
import type { Session } from "../session/session.js";
import { loadSettings } from "../settings/load-settings.js";
import type { Settings } from "../settings/settings.js";
import { describeFault } from "../settings/settings-error.js";
import { createTrust } from "../settings/trust.js";
import { createBuiltinTools } from "../tools/builtin/builtin-tools.js";
import { cleanEnvironment } from "../workspace/clean-environment.js";
import { openWorkspace } from "../workspace/workspace.js";
import { openAgentMemory } from "./agent-memory.js";
import { type AgentMetadata, toAgentMetadata } from "./agent-metadata.js";
import { clientSettings } from "./client-settings.js";
import { createOffer } from "./offered-tools.js";
import { buildSystemPrompt } from "./system-prompt.js";

/** How long a turn waits for MCP servers that have not answered yet; their tools come when they do. */
const MCP_PATIENCE_MS = 10_000;

/** Where a session works, and what it may use. All that comes from the system is passed in. */
export interface AgentSessionOptions {
  readonly workspacePath: string;
  /** The person's home directory. */
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** A directory for this session alone: outputs and checkpoints. */
  readonly dataDirectory: string;
  readonly ledger: Ledger;
  readonly journal?: readonly JsonObject[];
  /** What the command line decided. */
  readonly flags?: Settings;
  /** What a client asked for when it opened the session. */
  readonly client?: AgentSettings;
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
  const { home, environment, dataDirectory, now = () => new Date() } = options;
  const workspace = await openWorkspace(options.workspacePath);
  const config = path.join(home, ".config", "dt");
  const isTrusted = await createTrust({ file: path.join(config, "trusted.json") }).isTrusted(
    workspace.root,
  );
  const place = { home, environment, workspace: workspace.root, isTrusted };
  const flags = { ...options.flags, ...(options.client && clientSettings(options.client)) };
  const { settings, warnings } = await loadSettings({ ...place, flags });
  const switches = createExtensionSwitches({ file: path.join(config, "extensions.json") });
  const findExtensions = async () =>
    await loadExtensions({
      ...place,
      disabled: [...(settings.extensions?.disabled ?? []), ...(await switches.disabled())],
    });
  const loaded = await findExtensions();
  const joined = joinExtensions(settings, loaded.extensions);
  for (const fault of [...warnings, ...loaded.warnings]) options.onWarning?.(describeFault(fault));

  const memoryFile = path.join(config, "AGENTS.md");
  const memory = await openAgentMemory(
    {
      ...place,
      extensionFiles: joined.contextFiles,
      ...(settings.context?.fileNames && { fileNames: settings.context.fileNames }),
    },
    memoryFile,
  );
  const checkpoints = await openCheckpoints({
    directory: path.join(dataDirectory, "checkpoints"),
    now,
  });
  const own = [
    ...createBuiltinTools({
      environment,
      memoryFile,
      outputDirectory: path.join(dataDirectory, "output"),
    }),
    createRestoreTool({ checkpoints, currentTurn: () => session.snapshot().turns }),
  ];
  const mcp = openMcpManager({
    servers: joined.mcpServers,
    environment: cleanEnvironment(environment),
    directory: workspace.root,
    takenNames: own.map(({ name }) => name),
  });
  const offer = createOffer(() => [...own, ...mcp.tools()], {
    allowed: settings.allowedTools,
    excluded: joined.excludedTools,
  });
  const modelOf = (name: string | undefined): Model =>
    createModel({ environment, ...(name !== undefined && { name }) });
  const model = modelOf(settings.model);
  const commands: readonly Command[] = [
    ...createBuiltinCommands({
      workspaceRoot: workspace.root,
      tools: offer,
      excludedTools: () => joined.excludedTools,
      currentModel: () => session.snapshot().modelName ?? model.name,
      startMode: settings.mode ?? "default",
      commands: () => createCommandRegistry(() => commands).list(),
      mcp,
      memory,
      checkpoints,
      extensions: {
        list: async () => (await findExtensions()).extensions,
        enable: switches.enable,
        disable: switches.disable,
      },
    }),
    ...(options.commands ?? []),
  ];
  const session = await createSession({
    model,
    createModel: modelOf,
    tools: offer,
    ready: withLimit(mcp.tried, MCP_PATIENCE_MS),
    workspace,
    checkpoints,
    ledger: options.ledger,
    commands: () => commands,
    mode: settings.mode ?? "default",
    system: () =>
      buildSystemPrompt({
        workspaceRoot: workspace.root,
        platform: process.platform,
        today: now().toISOString().slice(0, 10),
        context: memory.text,
        instructions: mcp.status().flatMap(({ instructions }) => instructions ?? []),
      }),
    now,
    ...(options.journal && { journal: options.journal }),
    ...(settings.limits && { limits: settings.limits }),
    ...(options.onFault && { onFault: options.onFault }),
  });
  return {
    ...session,
    metadata: () =>
      toAgentMetadata(session.snapshot().modelName ?? model.name, mcp.status(), offer()),
    async close() {
      await session.close();
      await mcp.close();
    },
  };
}

async function withLimit(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
    timer.unref();
  });
  await Promise.race([work, limit]);
  clearTimeout(timer);
}
