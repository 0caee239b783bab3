import type { McpServerStatus } from "@dt/schema";
import type { McpToolInfo } from "./mcp-tool-info.js";

/** State of one server. */
export interface McpServerState {
  readonly status: McpServerStatus;
  /** Reason why the server is not connected. */
  readonly error?: string;
  /** Tools of the server. A disconnected server keeps its tools, because it is expected to come back. */
  readonly tools: readonly McpToolInfo[];
  readonly instructions?: string;
}

/** A change of a server's state: an attempt to connect, its result, a new list of tools, or a failure. */
export type McpServerStep =
  | { readonly type: "connect" }
  | {
      readonly type: "connected";
      readonly tools: readonly McpToolInfo[];
      readonly instructions: string | undefined;
    }
  | { readonly type: "list"; readonly tools: readonly McpToolInfo[] }
  | { readonly type: "lose"; readonly error: string }
  | { readonly type: "give-up"; readonly error: string };

/** State before the first attempt to connect. */
export const NEW_MCP_SERVER: McpServerState = { status: "connecting", tools: [] };

/** Returns the state after a step. Pure. */
export function advanceMcpServer(state: McpServerState, step: McpServerStep): McpServerState {
  switch (step.type) {
    case "connect":
      return { ...state, status: "connecting" };
    case "connected": {
      const { tools, instructions } = step;
      return { status: "connected", tools, ...(instructions !== undefined && { instructions }) };
    }
    case "list":
      // A list that arrives after the connection was lost is outdated.
      return state.status === "connected" ? { ...state, tools: step.tools } : state;
    case "lose":
      return { ...state, status: "disconnected", error: step.error };
    case "give-up":
      return { status: "failed", error: step.error, tools: [] };
  }
}
