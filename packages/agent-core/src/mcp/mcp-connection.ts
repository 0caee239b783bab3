import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { CallToolResult, Progress } from "@modelcontextprotocol/sdk/types.js";
import type { McpServerSettings } from "../settings/servers/mcp-server-settings.js";
import type { Sandbox } from "../workspace/processes/sandbox.js";
import type { AddressRules } from "./address/address-rules.js";
import type { McpToolInfo } from "./mcp-tool-info.js";

/** A connection to a server, after the handshake. */
export interface McpConnection {
  /** Instructions of the server for the model. */
  readonly instructions: string | undefined;
  listTools(): Promise<readonly McpToolInfo[]>;
  /** Calls a tool; rejects with {@link ToolError}, or with any reason after the signal has aborted. */
  callTool(call: McpCall): Promise<CallToolResult>;
  /** Closes the connection and ends the program that was started for it. */
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
  /** Environment of the server's program, without secrets. The `env` of the server is added to it. */
  readonly environment: Readonly<Record<string, string>>;
  /** The root that is sent to the server, and the default working directory of its program. */
  readonly directory: string;
  /** Sandbox in which the server's program runs. Default: none. */
  readonly sandbox?: Sandbox | undefined;
  /** Rules for a server with a URL. Default: any address. */
  readonly addressRules?: AddressRules;
  readonly signal: AbortSignal;
  /** Monotonic clock in milliseconds. */
  elapsedMs(): number;
  onToolsChanged(): void;
  /** Called once when the connection fails, but not after `close`. */
  onLost(reason: string): void;
}

/** A channel to a server, over HTTP or over the pipes of a program. */
export interface McpChannel {
  /** Performs the handshake; rejects with {@link McpFailure}. */
  open(client: Client): Promise<void>;
  /** Returns the reason why the channel does not work; undefined if the channel works. */
  findFault(): string | undefined;
  /** Returns text for the error of a call that got no answer, for example about output that is not MCP. */
  silenceNote(): string;
  close(client: Client): Promise<void>;
}
