import type { ErrorDetails, ToolCall, ToolOutput } from "../../gen/development_tool/tool_call.js";
import { isWaiting } from "../../tool-call/tool-call-status.js";
import { isObject, type JsonObject } from "../../validation/message-json.js";
import { compact } from "../a2a/read-json.js";
import { encodeGeminiDiff, encodeGeminiQuestion } from "./gemini-question-codec.js";
import { encodeGeminiTool } from "./gemini-tools.js";

/** Status of a call in gemini-cli. */
export type GeminiStatus =
  | "validating"
  | "awaiting_approval"
  | "scheduled"
  | "executing"
  | "success"
  | "error"
  | "cancelled";

const CANCELLED = "[Operation Cancelled] Reason: User cancelled the operation.";

/** Our error types that have another name in gemini-cli. Other types are sent unchanged. */
const ERROR_TYPES: Readonly<Record<string, string>> = {
  invalid_input: "invalid_tool_params",
  not_found: "file_not_found",
  unknown_tool: "tool_not_registered",
};

/** Encodes a tool call with the given status of gemini-cli. */
export function encodeGeminiCall(
  call: ToolCall,
  { taskId, status }: GeminiCallOptions,
): JsonObject {
  const { toolCallId: callId, toolName: name, inputParameters: args = {} } = call;
  const description = call.description ?? "";
  return compact({
    request: { callId, name, args, isClientInitiated: false, prompt_id: taskId },
    status,
    confirmationDetails:
      status === "awaiting_approval" && isWaiting(call) ? encodeGeminiQuestion(call) : undefined,
    response: encodeResponse(call),
    tool: isUnknownTool(call) ? undefined : encodeGeminiTool(name, description),
  });
}

/** Options of {@link encodeGeminiCall}. */
export interface GeminiCallOptions {
  readonly taskId: string;
  readonly status: GeminiStatus;
}

/** Returns the status in gemini-cli of a call in a view. */
export function toGeminiStatus(call: ToolCall): GeminiStatus {
  switch (call.status) {
    case "EXECUTING":
      return "executing";
    case "SUCCEEDED":
      return "success";
    case "FAILED":
      return "error";
    case "CANCELLED":
      return "cancelled";
    default:
      return isWaiting(call) ? "awaiting_approval" : "validating";
  }
}

// Returns true if the model asked for a tool that does not exist. gemini-cli then describes no tool.
function isUnknownTool({ result }: ToolCall): boolean {
  return result?.$case === "error" && result.value.type === "unknown_tool";
}

function encodeResponse(call: ToolCall): JsonObject | undefined {
  const { status, result } = call;
  if (status === "CANCELLED") return toResponse(call, { error: CANCELLED });
  if (status === "FAILED") {
    const error = result?.$case === "error" ? result.value : { message: "the tool failed" };
    return encodeFailure(call, error);
  }
  if (status !== "SUCCEEDED") return undefined;
  const output = result?.$case === "output" ? result.value : { result: undefined };
  return toResponse(call, { output: textOfOutput(output) }, encodeDisplay(output));
}

function encodeFailure(call: ToolCall, { message, type }: ErrorDetails): JsonObject {
  const response = toResponse(call, { error: message }, message);
  const errorType = type === undefined ? undefined : (ERROR_TYPES[type] ?? type);
  return compact({ ...response, error: { message }, errorType });
}

function toResponse(
  { toolCallId: callId, toolName: name }: ToolCall,
  response: { readonly output?: string; readonly error?: string },
  resultDisplay?: unknown,
): JsonObject {
  return compact({
    callId,
    responseParts: [{ functionResponse: { id: callId, name, response } }],
    resultDisplay,
    contentLength: (response.output ?? response.error ?? "").length,
  });
}

function encodeDisplay({ result }: ToolOutput): unknown {
  if (result?.$case !== "diff") return result?.value ?? "";
  const isNewFile = result.value.oldContent === undefined;
  return { ...encodeGeminiDiff(result.value), isNewFile };
}

function textOfOutput({ result }: ToolOutput): string {
  if (result?.$case === "text") return result.value;
  if (result?.$case === "diff") return `changed ${result.value.filePath}`;
  return isObject(result?.value) ? JSON.stringify(result.value) : "";
}
