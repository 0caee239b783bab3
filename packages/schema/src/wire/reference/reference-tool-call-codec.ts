import type { ToolCall, ToolOutput } from "../../gen/development_tool/tool_call.js";
import { describeQuestion } from "../a2a/plain-question.js";
import { compact } from "../a2a/read-json.js";
import {
  CODER_AGENT_EVENTS,
  type CoderAgentMessage,
  REFERENCE_STATUSES,
  type ReferenceConfirmation,
} from "./reference-events.js";

/** Encodes a tool call as an update of the server reference. */
export function encodeReferenceCall(
  call: ToolCall,
): CoderAgentMessage & { readonly type: "tool_call_update" } {
  const { toolCallId, toolName, result, liveContent } = call;
  const status = REFERENCE_STATUSES[call.status];
  return compact({
    type: CODER_AGENT_EVENTS.TOOL_CALL_UPDATE,
    toolCallId,
    status,
    toolName,
    result: result?.$case === "output" ? toText(result.value) : undefined,
    error: status === "error" ? errorOf(call) : undefined,
    liveContent: status === "executing" ? liveContent || undefined : undefined,
    confirmation: status === "requested" ? findConfirmation(call) : undefined,
  });
}

function errorOf({ result, status }: ToolCall): string {
  if (result?.$case === "error") return result.value.message;
  return status === "CANCELLED" ? "the call was cancelled" : "the call failed";
}

function toText({ result }: ToolOutput): string {
  switch (result?.$case) {
    case "text":
      return result.value;
    case "diff":
      return result.value.formattedDiff ?? result.value.newContent;
    case "structuredData":
      return JSON.stringify(result.value ?? {});
    default:
      return "";
  }
}

function findConfirmation(call: ToolCall): ReferenceConfirmation | undefined {
  const { confirmationRequest } = call;
  if (confirmationRequest === undefined) return undefined;
  const options = confirmationRequest.options.map(({ id, name, description }) =>
    compact({ id, name, description }),
  );
  return { title: titleOf(call), prompt: describeQuestion(call).join("\n"), options };
}

function titleOf({ toolName, confirmationRequest }: ToolCall): string {
  const details = confirmationRequest?.details;
  switch (details?.$case) {
    case "executeDetails":
      return "Run this command?";
    case "fileEditDetails":
      return `Write ${details.value.fileName}?`;
    case "mcpDetails":
      return `Use ${details.value.toolName} of the MCP server ${details.value.serverName}?`;
    default:
      return `Use ${toolName}?`;
  }
}
