import type { McpServerSettings } from "../settings/servers/mcp-server-settings.js";

/** A folder that adds servers, commands and context to the agent. */
export interface Extension {
  readonly name: string;
  readonly version: string;
  readonly isEnabled: boolean;
  /** Its folder, absolute. */
  readonly path: string;
  /** Variables such as `${extensionPath}` are filled in. */
  readonly mcpServers: Readonly<Record<string, McpServerSettings>>;
  /** The files that become context, absolute. */
  readonly contextFiles: readonly string[];
  /** Tools that are not offered while it is enabled. */
  readonly excludedTools: readonly string[];
  /** The folder with its commands; undefined where it has none. */
  readonly commandsDirectory: string | undefined;
}
