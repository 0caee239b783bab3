import type { McpServer as EditorMcpServer } from "@agentclientprotocol/sdk";
import { type McpServer, ProtocolError } from "@dt/schema";

/** Maximum number of MCP servers that an editor may name. */
const MAX_SERVERS = 64;

/** Converts the MCP servers that an editor names. The agent asks before it starts any of them. */
export function decodeServers(
  servers: readonly EditorMcpServer[],
): Readonly<Record<string, McpServer>> {
  if (servers.length > MAX_SERVERS) refuse(`name at most ${MAX_SERVERS} MCP servers`);
  const named = new Map<string, McpServer>();
  for (const server of servers) {
    if (named.has(server.name)) refuse(`two MCP servers are called ${server.name}`);
    named.set(server.name, toServer(server));
  }
  return Object.fromEntries(named);
}

function toServer(server: EditorMcpServer): McpServer {
  const empty = { args: [], env: {}, headers: {}, options: undefined };
  if (!("type" in server)) {
    return { ...empty, command: server.command, args: server.args, env: toMap(server.env) };
  }
  if (server.type === "http") {
    return { ...empty, url: server.url, headers: toMap(server.headers) };
  }
  return refuse(`the MCP server ${server.name} uses SSE alone; use Streamable HTTP or stdio`);
}

function toMap(pairs: readonly { readonly name: string; readonly value: string }[]) {
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
}

function refuse(message: string): never {
  throw new ProtocolError("invalid-message", `mcpServers: ${message}`);
}
