import type { ToolCall, ToolCallStatus } from "../gen/development_tool/tool_call.js";

const terminal: readonly ToolCallStatus[] = ["SUCCEEDED", "FAILED", "CANCELLED"];

/** Whether a call has ended and will not change any more. */
export function isTerminalStatus(status: ToolCallStatus): boolean {
  return terminal.includes(status);
}

/** Whether a call waits for someone's answer. */
export function isWaiting(call: ToolCall): boolean {
  return call.status === "PENDING" && call.confirmationRequest !== undefined;
}
