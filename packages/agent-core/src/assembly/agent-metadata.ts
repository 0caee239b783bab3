import type { McpServerReport } from "../mcp/mcp-manager.js";
import type { Tool } from "../tools/tool.js";

/** Description of a tool for clients. */
export interface ToolInfo {
  readonly name: string;
  readonly description: string;
  /** A JSON Schema of the input. */
  readonly parameterSchema: Readonly<Record<string, unknown>>;
}

/** Model, MCP servers and tools of a session, for clients. (SRV-08) */
export interface AgentMetadata {
  readonly model: string;
  readonly mcpServers: readonly {
    readonly name: string;
    readonly status: string;
    readonly tools: readonly ToolInfo[];
  }[];
  readonly availableTools: readonly ToolInfo[];
}

/** Builds the metadata of a session. */
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
