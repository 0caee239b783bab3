import type { ConfirmationRequest } from "../../gen/development_tool/confirmation.js";
import type { ToolCall } from "../../gen/development_tool/tool_call.js";

/** A question as the protocol notes spell it. */
export interface NotesQuestion {
  readonly title: string;
  readonly prompt: string;
  readonly type: "info" | "warning" | "danger";
}

/**
 * Encodes the question of a tool call. Its type is `danger` for a shell command, `warning` for
 * an edit or a tool of an MCP server, and `info` for everything else. (protocol notes, Tool
 * call confirmation)
 */
export function encodeNotesQuestion(toolCall: ToolCall): NotesQuestion {
  const { toolName, description, confirmationRequest } = toolCall;
  const details: ConfirmationRequest["details"] = confirmationRequest?.details;
  switch (details?.$case) {
    case "executeDetails": {
      const { command, workingDirectory } = details.value;
      const directory = workingDirectory ? ` in ${workingDirectory}` : "";
      return {
        title: "Run a shell command",
        prompt: `Run this command${directory}?\n\n${command}`,
        type: "danger",
      };
    }
    case "fileEditDetails": {
      const { fileName, filePath, formattedDiff, newContent } = details.value;
      return {
        title: `Change ${fileName || filePath}`,
        prompt: `Change ${filePath || fileName}?\n\n${formattedDiff || newContent}`,
        type: "warning",
      };
    }
    case "mcpDetails": {
      const { serverName, toolName: serverTool } = details.value;
      return {
        title: `Use a tool of ${serverName}`,
        prompt: `Use the tool ${serverTool} of the MCP server ${serverName}?`,
        type: "warning",
      };
    }
    case "genericDetails":
    case undefined:
      return {
        title: description ?? `Use ${toolName}`,
        prompt: details?.value.description || `Use ${toolName}?`,
        type: "info",
      };
  }
}
