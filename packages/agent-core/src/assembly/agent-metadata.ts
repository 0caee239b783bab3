import type { McpServerReport } from "../mcp/mcp-manager.js";
import type { Tool } from "../tools/tool.js";

/** A tool as clients are told about it. */
export interface ToolInfo {
  readonly name: string;
  readonly description: string;
  /** A JSON Schema of the input. */
  readonly parameterSchema: Readonly<Record<string, unknown>>;
}

/** What a client may want to know of a session. (SRV-08) */
export interface AgentMetadata {
  readonly model: string;
  readonly mcpServers: readonly {
    readonly name: string;
    readonly status: string;
    readonly tools: readonly ToolInfo[];
  }[];
  readonly availableTools: readonly ToolInfo[];
}

/** Puts together what a session reports of itself. */
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
