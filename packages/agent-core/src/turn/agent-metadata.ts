import { type AgentMetadata, type ToolInfo, toCost } from "@dt/schema";
import type { McpServerReport } from "../mcp/mcp-manager.js";
import type { SessionState } from "../record/session-state.js";
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

/** Returns the tokens of all turns if the model has replied, and their cost if a price is known. */
export function toSessionUse({ totals }: SessionState): Pick<AgentMetadata, "usage" | "cost"> {
  return {
    ...(totals.steps > 0 && { usage: totals.usage }),
    ...(totals.costNanos !== undefined && { cost: toCost(totals.costNanos) }),
  };
}
