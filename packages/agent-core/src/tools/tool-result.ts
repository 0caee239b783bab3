import type { ToolCall, ToolOutput } from "@dt/schema";
import type { ToolResult } from "../model/history.js";

/** A call that has ended → what the model is told of it. */
export function toToolResult(call: ToolCall): ToolResult {
  const { toolCallId, toolName, status, result } = call;
  if (result?.$case === "output") {
    return { toolCallId, toolName, text: outputText(result.value), isError: false };
  }
  const text =
    result?.$case === "error"
      ? result.value.message
      : "The user did not allow this. Do not try to reach the same end in another way; ask what to do instead.";
  return {
    toolCallId,
    toolName,
    text: status === "CANCELLED" ? text : `error: ${text}`,
    isError: true,
  };
}

function outputText({ result }: ToolOutput): string {
  switch (result?.$case) {
    case "text":
      return result.value;
    case "diff":
      return `wrote ${result.value.filePath}\n${result.value.formattedDiff ?? ""}`;
    case "structuredData":
      return JSON.stringify(result.value);
    case undefined:
      return "";
  }
}
