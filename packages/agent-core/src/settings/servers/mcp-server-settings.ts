import { SETTINGS_DEFAULTS } from "../settings-defaults.js";

/** An MCP server that runs as a child process and communicates over stdin and stdout. */
export interface StdioMcpServer {
  readonly command: string;
  readonly args?: readonly string[];
  /** Variables in addition to the cleaned environment that every child process gets. */
  readonly env?: Readonly<Record<string, string>>;
  /** Working directory. Default: the workspace. */
  readonly cwd?: string;
  /** Longest silence of the server during one call. Default: ten minutes. */
  readonly timeoutMs?: number;
}

/** An MCP server at a URL, reached over streamable HTTP. */
export interface HttpMcpServer {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Longest silence of the server during one call. Default: ten minutes. */
  readonly timeoutMs?: number;
}

/** Settings of one MCP server. */
export type McpServerSettings = StdioMcpServer | HttpMcpServer;

const STRING_MAP = { type: "object", additionalProperties: { type: "string" } };

/** The JSON Schema of {@link McpServerSettings}. */
export const MCP_SERVER_SCHEMA = {
  type: "object",
  description: "One MCP server: a program to start, or an address.",
  properties: {
    command: { type: "string", minLength: 1, description: "The program to start." },
    args: { type: "array", items: { type: "string" }, description: "Arguments of the program." },
    env: {
      ...STRING_MAP,
      description:
        "Variables for the program. From dt it inherits only harmless ones, such as `PATH`.",
    },
    cwd: {
      type: "string",
      description: "Working directory of the program. Without this key, it is the workspace.",
    },
    url: {
      type: "string",
      pattern: "^https?://",
      description: "The address of a streamable HTTP server.",
    },
    headers: { ...STRING_MAP, description: "Headers of each request to `url`." },
    timeoutMs: {
      type: "integer",
      minimum: 1,
      default: SETTINGS_DEFAULTS.mcpTimeoutMs,
      description: "Longest silence of the server during one call, in milliseconds.",
    },
  },
  additionalProperties: false,
  oneOf: [{ required: ["command"] }, { required: ["url"] }],
  dependencies: { args: ["command"], env: ["command"], cwd: ["command"], headers: ["url"] },
} as const;

/** The JSON Schema of MCP servers by name. */
export const MCP_SERVERS_SCHEMA = {
  type: "object",
  description: "MCP servers by name.",
  propertyNames: { pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$" },
  additionalProperties: MCP_SERVER_SCHEMA,
} as const;
