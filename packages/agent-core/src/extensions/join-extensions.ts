import type { McpServerSettings } from "../settings/servers/mcp-server-settings.js";
import type { Settings } from "../settings/settings.js";
import type { Extension } from "./extension.js";

/** MCP servers and excluded tools of settings and enabled extensions, and the files that the extensions add. */
export interface Contributions {
  readonly mcpServers: Readonly<Record<string, McpServerSettings>>;
  readonly excludedTools: readonly string[];
  readonly contextFiles: readonly string[];
  readonly commandsDirectories: readonly string[];
}

/**
 * Merges settings and enabled extensions. A server in the settings replaces an extension's server
 * of the same name.
 */
export function joinExtensions(
  settings: Settings,
  extensions: readonly Extension[],
): Contributions {
  const enabled = extensions.filter(({ isEnabled }) => isEnabled);
  const servers = enabled.map(({ mcpServers }) => mcpServers).reverse();
  const excluded = enabled.flatMap(({ excludedTools }) => excludedTools);
  return {
    mcpServers: Object.assign({}, ...servers, settings.mcpServers),
    excludedTools: [...new Set([...(settings.excludedTools ?? []), ...excluded])],
    contextFiles: enabled.flatMap(({ contextFiles }) => contextFiles),
    commandsDirectories: enabled.flatMap(({ commandsDirectory }) => commandsDirectory ?? []),
  };
}
