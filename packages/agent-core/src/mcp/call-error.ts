import { ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import { ToolError } from "../errors/tool-error.js";
import { isBadAnswer, reasonOf } from "./failure-reason.js";

/** A call that failed. */
export interface FailedCall {
  readonly serverName: string;
  readonly toolName: string;
  readonly timeoutMs: number;
  /** Reason why the connection does not work; undefined if the connection works. */
  readonly connectionFault: string | undefined;
  /** Text to add to the error of a timeout, for example about output that is not MCP. */
  readonly silenceNote: string;
}

/** Explains a failed call to the model and the person. */
export function toCallError(reason: unknown, call: FailedCall): ToolError {
  const { serverName, toolName, timeoutMs, connectionFault, silenceNote } = call;
  const server = `the MCP server ${serverName}`;
  const cause = { cause: reason };
  if (connectionFault !== undefined) {
    const message = `${server} ${connectionFault}; the call of ${toolName} may have had effects`;
    return new ToolError("mcp_server_unavailable", message, cause);
  }
  if (isBadAnswer(reason)) {
    const message = `${server} answered ${toolName} with something that is not a tool result`;
    return new ToolError("mcp_bad_answer", message, cause);
  }
  if (!(reason instanceof McpError)) {
    const message = `${server} could not be reached: ${reasonOf(reason)}`;
    return new ToolError("mcp_server_unavailable", message, cause);
  }
  if (reason.code === ErrorCode.RequestTimeout) {
    const message = `${server} sent nothing for ${timeoutMs} ms while it ran ${toolName}${silenceNote}`;
    return new ToolError("mcp_timeout", message, cause);
  }
  if (reason.code === ErrorCode.ConnectionClosed) {
    return new ToolError("mcp_server_unavailable", `${server} closed the connection`, cause);
  }
  return new ToolError("mcp_tool_error", reasonOf(reason), cause);
}
