import type { Command } from "../command.js";
import { createCommandRegistry } from "../command-registry.js";
import type { CommandServices } from "../command-services.js";
import { createExtensionsCommand, createListExtensionsCommand } from "./extensions.js";
import { createHelpCommand } from "./help.js";
import { createInitCommand } from "./init.js";
import { createMcpCommand } from "./mcp.js";
import { createMemoryCommand } from "./memory.js";
import { createRestoreCommand } from "./restore.js";
import { clearCommand } from "./session/clear.js";
import { compressCommand } from "./session/compress.js";
import { createModeCommand } from "./session/mode.js";
import { createModelCommand } from "./session/model.js";
import { createPermissionsCommand } from "./session/permissions.js";
import { retryCommand } from "./session/retry.js";
import { createStatsCommand } from "./session/stats.js";
import { createToolsCommand } from "./tools.js";
import { createTrustCommand } from "./trust.js";

/** Creates the built-in commands. If the session lacks the service of a command, the command reports that. */
export function createBuiltinCommands(services: CommandServices): readonly Command[] {
  const commands: readonly Command[] = [
    createHelpCommand(() => services.commands?.() ?? createCommandRegistry(() => commands).list()),
    createToolsCommand(services),
    createMcpCommand(services),
    createMemoryCommand(services),
    createInitCommand(services),
    createRestoreCommand(services),
    createExtensionsCommand(services),
    createListExtensionsCommand(services),
    createModelCommand(services),
    createModeCommand(services),
    createPermissionsCommand(services),
    createTrustCommand(services),
    createStatsCommand(services),
    compressCommand,
    clearCommand,
    retryCommand,
  ];
  return commands;
}
