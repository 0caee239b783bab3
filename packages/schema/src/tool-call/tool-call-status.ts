import type { ConfirmationRequest } from "../gen/development_tool/confirmation.js";
import type { ToolCall, ToolCallStatus } from "../gen/development_tool/tool_call.js";

const TERMINAL: readonly ToolCallStatus[] = ["SUCCEEDED", "FAILED", "CANCELLED"];

/** Returns true if a call has ended and will not change. */
export function isTerminalStatus(status: ToolCallStatus): boolean {
  return TERMINAL.includes(status);
}

/** A tool call that waits for an answer and has a confirmation request. */
export type Question = ToolCall & { readonly confirmationRequest: ConfirmationRequest };

/** Returns true if a call waits for an answer. */
export function isWaiting(call: ToolCall): call is Question {
  return call.status === "PENDING" && call.confirmationRequest !== undefined;
}
