import type { Cost, Usage } from "../gen/dt_session/event.js";
import type { BudgetUse } from "./budget-port.js";

/** Description of a tool for clients. */
export interface ToolInfo {
  readonly name: string;
  readonly description: string;
  /** A JSON Schema of the input. */
  readonly parameterSchema: Readonly<Record<string, unknown>>;
}

/** An MCP server of a session, with the tools that it offers now. */
export interface McpServerInfo {
  readonly name: string;
  readonly status: McpServerStatus;
  readonly tools: readonly ToolInfo[];
}

/** Status of an MCP server. The agent reconnects to a `disconnected` server, but not to a `failed` server. */
export type McpServerStatus = "connecting" | "connected" | "disconnected" | "failed";

/** Model, MCP servers, tools and budgets of a session, for clients. */
export interface AgentMetadata {
  readonly model: string;
  readonly mcpServers: readonly McpServerInfo[];
  readonly availableTools: readonly ToolInfo[];
  /** Tokens of the whole session; absent before the first reply of the model. */
  readonly usage?: Usage;
  /** Cost of the whole session; absent if no price is known. */
  readonly cost?: Cost;
  /** Use of each budget at the last reading; absent if the session has no budget. */
  readonly budgets?: readonly BudgetUse[];
}
