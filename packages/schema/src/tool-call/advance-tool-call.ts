import type { ConfirmationRequest } from "../gen/development_tool/confirmation.js";
import type {
  ErrorDetails,
  ToolCall,
  ToolCallStatus,
  ToolOutput,
} from "../gen/development_tool/tool_call.js";

/** One step in the life of a tool call. */
export type ToolCallStep =
  | { readonly type: "ask"; readonly request: ConfirmationRequest }
  | { readonly type: "settle"; readonly inputParameters?: ToolCall["inputParameters"] }
  | { readonly type: "start"; readonly inputParameters?: ToolCall["inputParameters"] }
  | { readonly type: "print"; readonly liveContent: string }
  | { readonly type: "succeed"; readonly output: ToolOutput }
  | { readonly type: "fail"; readonly error: ErrorDetails }
  | { readonly type: "cancel" };

/** Statuses from which each step is allowed. (RFC 3.2, Tool Call Lifecycle) */
export const ALLOWED_FROM: Readonly<Record<ToolCallStep["type"], readonly ToolCallStatus[]>> = {
  ask: ["PENDING"],
  settle: ["PENDING"],
  start: ["PENDING"],
  print: ["EXECUTING"],
  succeed: ["EXECUTING"],
  fail: ["PENDING", "EXECUTING"],
  cancel: ["PENDING", "EXECUTING"],
};

/**
 * Computes a tool call after one step. No other code changes the status of a call. Throws if
 * `ALLOWED_FROM` does not allow the step.
 *
 * `settle` closes the question of a call that is approved but must wait until earlier calls have ended.
 */
export function advanceToolCall(call: ToolCall, step: ToolCallStep): ToolCall {
  if (!ALLOWED_FROM[step.type].includes(call.status)) {
    throw new Error(`cannot ${step.type} tool call ${call.toolCallId} while it is ${call.status}`);
  }
  const { confirmationRequest: _, ...settled } = call;
  const { liveContent: __, ...ended } = settled;
  switch (step.type) {
    case "ask":
      return { ...call, confirmationRequest: step.request };
    case "settle":
      return { ...settled, ...inputOf(step) };
    case "start":
      return { ...settled, ...inputOf(step), status: "EXECUTING" };
    case "print":
      return { ...call, liveContent: step.liveContent };
    case "succeed":
      return { ...ended, status: "SUCCEEDED", result: { $case: "output", value: step.output } };
    case "fail":
      return { ...ended, status: "FAILED", result: { $case: "error", value: step.error } };
    case "cancel":
      return { ...ended, status: "CANCELLED" };
  }
}

// Returns the field `inputParameters` if the step has it. A user's edit then replaces the input that
// the call shows.
function inputOf(step: { readonly inputParameters?: ToolCall["inputParameters"] }) {
  return step.inputParameters === undefined ? {} : { inputParameters: step.inputParameters };
}
