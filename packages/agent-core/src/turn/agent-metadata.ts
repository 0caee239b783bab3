import type { AgentMetadata, ToolInfo } from "@dt/schema";
import type { McpServerReport } from "../mcp/mcp-manager.js";
import type { Tool } from "../tools/tool.js";

/** Builds the metadata of a session: its model, its MCP servers and the tools of its agent (SRV-08). */
export function toAgentMetadata(
  model: string,
  servers: readonly McpServerReport[],
  tools: readonly Tool[],
): AgentMetadata {
  return {
    model,
    mcpServers: servers.map(({ name, status, tools: own }) => ({
      name,
      status,
      tools: own.map(toToolInfo),
    })),
    availableTools: tools.filter(({ isInternal }) => isInternal !== true).map(toToolInfo),
  };
}

function toToolInfo({
  name,
  description,
  parameters,
}: Pick<Tool, "name" | "description" | "parameters">): ToolInfo {
  return { name, description, parameterSchema: parameters };
}
