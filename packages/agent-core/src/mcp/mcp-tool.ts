import type { Tool } from "../tools/tool.js";
import { toToolOutput } from "./call-result.js";
import type { McpCall, McpConnection } from "./mcp-connection.js";
import type { McpToolInfo } from "./mcp-tool-info.js";

/** Options of {@link createMcpTool}. */
export interface McpToolOptions {
  /** Name that models use. */
  readonly name: string;
  readonly serverName: string;
  readonly info: McpToolInfo;
  readonly callTool: McpConnection["callTool"];
}

/** Creates a tool that calls a tool of an MCP server. */
export function createMcpTool({ name, serverName, info, callTool }: McpToolOptions): Tool {
  const toolName = info.name;
  return {
    name,
    description: info.description || `${toolName} of the MCP server ${serverName}`,
    parameters: info.parameters,
    isReadOnly: info.isReadOnly,

    plan: async () => ({
      description: `${toolName} of the MCP server ${serverName}`,
      // The read-only hint is ignored here, because the policy must not trust the server.
      actions: [{ type: "mcp", serverName, toolName }],
      details: { $case: "mcpDetails", value: { serverName, toolName } },
    }),

    async run(input, { signal, print }) {
      const onProgress: McpCall["onProgress"] = (progress) => print(describeProgress(progress));
      return toToolOutput(await callTool({ toolName, input, signal, onProgress }));
    },
  };
}

function describeProgress({
  progress,
  total,
  message,
}: Parameters<McpCall["onProgress"]>[0]): string {
  const share = total === undefined ? String(progress) : `${progress}/${total}`;
  return message === undefined ? share : `${share} ${message}`;
}
