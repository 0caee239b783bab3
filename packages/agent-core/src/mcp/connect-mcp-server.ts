import { pathToFileURL } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import {
  CallToolResultSchema,
  ListRootsRequestSchema,
  ResultSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { toCallError } from "./call-error.js";
import type { McpConnection, McpConnectOptions } from "./mcp-connection.js";
import { McpFailure } from "./mcp-failure.js";
import { type McpToolInfo, parseToolInfo } from "./mcp-tool-info.js";
import { followSignal } from "./transport/follow-signal.js";
import { createHttpLine } from "./transport/http-channel.js";
import { createStdioLine } from "./transport/stdio-channel.js";

const defaultTimeoutMs = 600_000;
const listTimeoutMs = 30_000;
const mostPages = 100;

/** Connects to one server; rejects with {@link McpFailure}. The owner closes what it gets. */
export async function connectMcpServer(options: McpConnectOptions): Promise<McpConnection> {
  const { name, server, directory } = options;
  const client = new Client({ name: "dt", version: "0.1.0" }, { capabilities: { roots: {} } });
  const uri = pathToFileURL(directory).href;
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri }] }));
  client.setNotificationHandler(ToolListChangedNotificationSchema, options.onToolsChanged);
  const line = "url" in server ? createHttpLine(server, options) : createStdioLine(server, options);
  await line.open(client);
  let isClosed = false;
  client.onclose = () => {
    if (!isClosed) options.onLost(line.broken() ?? "closed the connection");
  };
  // It may have died between its hello and the line above.
  if (line.broken() !== undefined) client.onclose();
  return {
    instructions: client.getInstructions(),
    listTools: () => listTools(client),
    async callTool({ toolName, input, signal, onProgress }) {
      using following = followSignal(signal);
      const timeout = server.timeoutMs ?? defaultTimeoutMs;
      const params = { name: toolName, arguments: { ...input } };
      try {
        return await client.request({ method: "tools/call", params }, CallToolResultSchema, {
          signal: following.signal,
          timeout,
          resetTimeoutOnProgress: true,
          onprogress: onProgress,
        });
      } catch (reason) {
        const broken = line.broken();
        throw toCallError(reason, {
          serverName: name,
          toolName,
          timeout,
          broken,
          silence: line.silence(),
        });
      }
    },
    async close() {
      isClosed = true;
      await line.close(client);
    },
  };
}

// One entry that makes no sense must not cost the others: the SDK's own list is all or nothing.
async function listTools(client: Client): Promise<readonly McpToolInfo[]> {
  if (client.getServerCapabilities()?.tools === undefined) return [];
  const tools: McpToolInfo[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const result = await client.request({ method: "tools/list", params }, ResultSchema, {
      timeout: listTimeoutMs,
    });
    if (!Array.isArray(result.tools)) throw new McpFailure("has no list of tools");
    tools.push(...result.tools.flatMap((tool) => parseToolInfo(tool) ?? []));
    if (typeof result.nextCursor !== "string") break;
    cursor = result.nextCursor;
  }
  return [...new Map(tools.map((tool) => [tool.name, tool])).values()];
}
