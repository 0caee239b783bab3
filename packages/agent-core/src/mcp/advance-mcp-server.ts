import type { McpToolInfo } from "./mcp-tool-info.js";

/** How a server stands: `disconnected` is tried again, `failed` is not. */
export type McpServerStatus = "connecting" | "connected" | "disconnected" | "failed";

/** All that is known about one server. */
export interface McpServerState {
  readonly status: McpServerStatus;
  /** Why it is not connected. */
  readonly error?: string;
  /** While it is disconnected, the tools it had: it is expected back. */
  readonly tools: readonly McpToolInfo[];
  readonly instructions?: string;
}

/** What can happen to a server. */
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

/** A server that nobody has tried yet. */
export const newMcpServer: McpServerState = { status: "connecting", tools: [] };

/** The only place where a server's state changes. Pure. */
export function advanceMcpServer(state: McpServerState, step: McpServerStep): McpServerState {
  switch (step.type) {
    case "connect":
      return { ...state, status: "connecting" };
    case "connected": {
      const { tools, instructions } = step;
      return { status: "connected", tools, ...(instructions !== undefined && { instructions }) };
    }
    case "list":
      // A list that comes when the server has gone is of no use.
      return state.status === "connected" ? { ...state, tools: step.tools } : state;
    case "lose":
      return { ...state, status: "disconnected", error: step.error };
    case "give-up":
      return { status: "failed", error: step.error, tools: [] };
  }
}
