import type { McpServerSettings } from "../settings/servers/mcp-server-settings.js";

/** A folder that adds MCP servers, commands and context to the agent. */
export interface Extension {
  readonly name: string;
  readonly version: string;
  readonly isEnabled: boolean;
  /** Absolute path of the extension's folder. */
  readonly path: string;
  /** MCP servers of the extension. Variables such as `${extensionPath}` are already expanded. */
  readonly mcpServers: Readonly<Record<string, McpServerSettings>>;
  /** Absolute paths of the extension's context files, whose text is part of the system prompt. */
  readonly contextFiles: readonly string[];
  /** Tools that are not offered while the extension is enabled. */
  readonly excludedTools: readonly string[];
  /** The folder with the extension's commands; undefined if the extension has no commands. */
  readonly commandsDirectory: string | undefined;
}
