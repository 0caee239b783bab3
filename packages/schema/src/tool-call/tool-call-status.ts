import type { ConfirmationRequest } from "../gen/development_tool/confirmation.js";
import type { ToolCall, ToolCallStatus } from "../gen/development_tool/tool_call.js";

const terminal: readonly ToolCallStatus[] = ["SUCCEEDED", "FAILED", "CANCELLED"];

/** Whether a call has ended and will not change any more. */
export function isTerminalStatus(status: ToolCallStatus): boolean {
  return terminal.includes(status);
}

/** A tool call that waits for an answer: its request is there. */
export type Question = ToolCall & { readonly confirmationRequest: ConfirmationRequest };

/** Whether a call waits for someone's answer. */
export function isWaiting(call: ToolCall): call is Question {
  return call.status === "PENDING" && call.confirmationRequest !== undefined;
}
