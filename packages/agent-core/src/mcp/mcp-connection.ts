import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { CallToolResult, Progress } from "@modelcontextprotocol/sdk/types.js";
import type { McpServerSettings } from "../settings/servers/mcp-server-settings.js";
import type { AddressRules } from "./address/address-rules.js";
import type { McpToolInfo } from "./mcp-tool-info.js";

/** A server that has said hello. */
export interface McpConnection {
  /** What the server wants the model to know. */
  readonly instructions: string | undefined;
  listTools(): Promise<readonly McpToolInfo[]>;
  /** Calls a tool; rejects with {@link ToolError}, or with anything when the signal has aborted. */
  callTool(call: McpCall): Promise<CallToolResult>;
  /** Ends it, and what was started for it. */
  close(): Promise<void>;
}

/** One call of a tool. */
export interface McpCall {
  /** The server's own name for the tool. */
  readonly toolName: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  onProgress(progress: Progress): void;
}

/** Options of a connection to an MCP server. */
export interface McpConnectOptions {
  readonly name: string;
  readonly server: McpServerSettings;
  /** The cleaned environment that every child process gets. */
  readonly environment: Readonly<Record<string, string>>;
  /** Where programs start that name no directory, and the root that servers are told of. */
  readonly directory: string;
  /** What a server at an address may be connected to; without rules, anything. */
  readonly addressRules?: AddressRules;
  readonly signal: AbortSignal;
  /** Measures time in milliseconds; a change of the wall clock does not affect it. */
  elapsedMs(): number;
  onToolsChanged(): void;
  /** The connection is of no more use; said once, and not after `close`. */
  onLost(why: string): void;
}

/** A line to a server, whichever way it is reached. */
export interface McpLine {
  /** Says hello; rejects with {@link McpFailure}. */
  open(client: Client): Promise<void>;
  /** Why the line is broken, as far as it knows; undefined while it holds. */
  broken(): string | undefined;
  /** Something to add to the error of a call that was never answered. */
  silence(): string;
  close(client: Client): Promise<void>;
}
