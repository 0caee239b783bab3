import { type McpServer, ProtocolError } from "@dt/schema";
import { checkShape } from "../check-shape.js";
import { MCP_SERVERS_SCHEMA, type McpServerSettings } from "./mcp-server-settings.js";

/** Maximum number of MCP servers that a client may name. Each of them asks, and its secret values get a slow digest. */
const MAX_SERVERS = 64;

/**
 * Converts the MCP servers in a client's `AgentSettings`. Throws {@link ProtocolError} with the path of the
 * fault, so that the client can fix the fault. Variables are not expanded, because a client must not read the
 * variables of this machine.
 */
export function clientMcpServers(
  servers: Readonly<Record<string, McpServer>>,
): Readonly<Record<string, McpServerSettings>> {
  if (Object.keys(servers).length > MAX_SERVERS)
    refuse("mcp_servers", `name at most ${MAX_SERVERS} MCP servers`);
  const named = Object.fromEntries(
    Object.entries(servers).map(([name, server]) => [name, withoutEmpty(server)]),
  );
  const [fault] = checkShape(MCP_SERVERS_SCHEMA, named);
  // `checkShape` has checked the value against the schema of this type.
  if (fault === undefined) return named as Readonly<Record<string, McpServerSettings>>;
  const path = ["mcp_servers", ...fault.path.map(toWireName)].join(".");
  refuse(path, fault.problem);
}

function refuse(path: string, problem: string): never {
  throw new ProtocolError("invalid-message", `${path}: ${problem}`, { data: { path } });
}

function toWireName(key: string, depth: number): string {
  return depth === 1 && key === "timeoutMs" ? "options.timeout_ms" : key;
}

// Removes empty fields, because an empty list or map on the wire means that the field is not set.
function withoutEmpty({ command, args, env, cwd, url, headers, options }: McpServer): object {
  const timeoutMs = options?.timeoutMs;
  return {
    ...(command && { command }),
    ...(args.length > 0 && { args }),
    ...(Object.keys(env).length > 0 && { env }),
    ...(cwd && { cwd }),
    ...(url && { url }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  };
}
