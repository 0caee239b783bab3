import type { ServerPolicy } from "@dt/schema";
import type { SessionBudget } from "../budget/session-budget.js";
import { createBuiltinCommands } from "../commands/builtin/builtin-commands.js";
import type { Command } from "../commands/command.js";
import { createCommandRegistry } from "../commands/command-registry.js";
import type { CommandServices } from "../commands/command-services.js";
import { loadCustomCommands } from "../commands/custom/load-custom-commands.js";
import { joinCommands } from "../commands/join-commands.js";
import { describeFault } from "../settings/settings-error.js";
import type { Workspace } from "../workspace/workspace.js";
import type { AgentTools } from "./agent-tools.js";
import type { Configuration } from "./load-configuration.js";

/** Dependencies of the commands of a session. */
export interface AgentCommandsOptions {
  readonly workspace: Workspace;
  readonly configuration: Configuration;
  readonly policy: ServerPolicy;
  readonly tools: AgentTools;
  /** Commands of the program that embeds the agent. */
  readonly added: readonly Command[];
  currentModel(): string;
  readonly budget?: Pick<SessionBudget, "readUse">;
}

/** The commands of a session, and a warning for each command file that was ignored. */
export interface AgentCommands {
  /**
   * Returns the commands. The built-in commands are created at each call and not kept in memory, because most
   * sessions never run a command.
   */
  list(): readonly Command[];
  readonly warnings: readonly string[];
}

/** Joins the built-in commands, the commands of the embedding program and the commands from files. */
export async function loadAgentCommands(options: AgentCommandsOptions): Promise<AgentCommands> {
  const { workspace, configuration, added } = options;
  const createBuiltin = (): readonly Command[] => createBuiltinCommands(toServices(options, list));
  const list = (): readonly Command[] => joinCommands(createBuiltin(), added, custom.commands);
  const custom = await loadCustomCommands({
    directories: configuration.commandDirectories,
    workspace,
    takenNames: createBuiltin().map(({ name }) => name),
  });
  return { list, warnings: custom.warnings.map(describeFault) };
}

function toServices(
  { workspace, configuration, policy, tools, currentModel, budget }: AgentCommandsOptions,
  commands: () => readonly Command[],
): CommandServices {
  return {
    workspaceRoot: workspace.root,
    tools: () => tools.offeredTools().filter(({ isInternal }) => isInternal !== true),
    excludedTools: () => configuration.joined.excludedTools,
    currentModel,
    ...(budget && { readBudgets: budget.readUse }),
    commands: () => createCommandRegistry(commands).list(),
    mcp: tools.servers,
    memory: tools.memory,
    checkpoints: tools.checkpoints,
    extensions: configuration.extensions,
    policy,
    trust: configuration.trust,
  };
}
