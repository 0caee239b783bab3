import type { Tool } from "../tools/tool.js";
import { toToolOutput } from "./call-result.js";
import type { McpCall, McpConnection } from "./mcp-connection.js";
import type { McpToolInfo } from "./mcp-tool-info.js";

/** What a tool of a server is made from. */
export interface McpToolOptions {
  /** The name under which models know it. */
  readonly name: string;
  readonly serverName: string;
  readonly info: McpToolInfo;
  readonly callTool: McpConnection["callTool"];
}

/** A tool of an MCP server as one of ours. */
export function createMcpTool({ name, serverName, info, callTool }: McpToolOptions): Tool {
  const toolName = info.name;
  return {
    name,
    description: info.description || `${toolName} of the MCP server ${serverName}`,
    parameters: info.parameters,
    isReadOnly: info.isReadOnly,

    plan: async () => ({
      description: `${toolName} of the MCP server ${serverName}`,
      // Whatever the server hints: it is the server's word, and the person's decision.
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
