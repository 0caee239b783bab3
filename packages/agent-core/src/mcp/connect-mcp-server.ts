import { pathToFileURL } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import {
  CallToolResultSchema,
  ListRootsRequestSchema,
  ResultSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { SETTINGS_DEFAULTS } from "../settings/settings-defaults.js";
import { toCallError } from "./call-error.js";
import type { McpConnection, McpConnectOptions } from "./mcp-connection.js";
import { McpFailure } from "./mcp-failure.js";
import { type McpToolInfo, parseToolInfo } from "./mcp-tool-info.js";
import { followSignal } from "./transport/follow-signal.js";
import { createHttpChannel } from "./transport/http-channel.js";
import { createStdioChannel } from "./transport/stdio-channel.js";

const LIST_TIMEOUT_MS = 30_000;
const MAX_PAGES = 100;

/** Connects to one server; rejects with {@link McpFailure}. The caller closes the connection. */
export async function connectMcpServer(options: McpConnectOptions): Promise<McpConnection> {
  const { name, server, directory } = options;
  const client = new Client({ name: "dt", version: "0.1.0" }, { capabilities: { roots: {} } });
  const uri = pathToFileURL(directory).href;
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri }] }));
  client.setNotificationHandler(ToolListChangedNotificationSchema, options.onToolsChanged);
  const channel =
    "url" in server ? createHttpChannel(server, options) : createStdioChannel(server, options);
  await channel.open(client);
  let isClosed = false;
  client.onclose = () => {
    if (!isClosed) options.onLost(channel.findFault() ?? "closed the connection");
  };
  // The server may have ended before the handler was set.
  if (channel.findFault() !== undefined) client.onclose();
  return {
    instructions: client.getInstructions(),
    listTools: () => listTools(client),
    async callTool({ toolName, input, signal, onProgress }) {
      using following = followSignal(signal);
      const timeout = server.timeoutMs ?? SETTINGS_DEFAULTS.mcpTimeoutMs;
      const params = { name: toolName, arguments: { ...input } };
      try {
        return await client.request({ method: "tools/call", params }, CallToolResultSchema, {
          signal: following.signal,
          timeout,
          resetTimeoutOnProgress: true,
          onprogress: onProgress,
        });
      } catch (reason) {
        throw toCallError(reason, {
          serverName: name,
          toolName,
          timeoutMs: timeout,
          connectionFault: channel.findFault(),
          silenceNote: channel.silenceNote(),
        });
      }
    },
    async close() {
      isClosed = true;
      await channel.close(client);
    },
  };
}

// Lists the tools of a server and skips invalid ones. The SDK's own `listTools` would reject the whole list.
async function listTools(client: Client): Promise<readonly McpToolInfo[]> {
  if (client.getServerCapabilities()?.tools === undefined) return [];
  const tools: McpToolInfo[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const result = await client.request({ method: "tools/list", params }, ResultSchema, {
      timeout: LIST_TIMEOUT_MS,
    });
    if (!Array.isArray(result.tools))
      throw new McpFailure("did not answer tools/list with a list of tools");
    tools.push(...result.tools.flatMap((tool) => parseToolInfo(tool) ?? []));
    if (typeof result.nextCursor !== "string") break;
    cursor = result.nextCursor;
  }
  return [...new Map(tools.map((tool) => [tool.name, tool])).values()];
}
