import type { FileDiff } from "../../gen/development_tool/file_diff.js";
import type { Question } from "../../tool-call/tool-call-status.js";
import type { JsonObject } from "../../validation/message-json.js";
import { displayNameOf } from "./gemini-tools.js";

/** Encodes the details of a question as `confirmationDetails`. */
export function encodeGeminiQuestion(question: Question): JsonObject {
  const { toolName, confirmationRequest, inputParameters } = question;
  const { details } = confirmationRequest;
  switch (details?.$case) {
    case "fileEditDetails": {
      const verb = toolName === "write_file" ? "Write" : "Edit";
      const title = `Confirm ${verb}: ${details.value.fileName}`;
      return { type: "edit", title, ...encodeGeminiDiff(details.value) };
    }
    case "executeDetails": {
      const { command } = details.value;
      const rootCommand = findRootCommands(command);
      return { type: "exec", title: "Confirm Shell Command", command, rootCommand };
    }
    case "mcpDetails": {
      const { serverName, toolName: name } = details.value;
      const toolDisplayName = `${name} (${serverName} MCP Server)`;
      const title = "Confirm MCP Tool Execution";
      return { type: "mcp", title, serverName, toolName: name, toolDisplayName };
    }
    default: {
      const prompt = details?.value.description ?? "";
      const url = inputParameters?.url;
      if (toolName === "web_fetch" && typeof url === "string") {
        return { type: "info", title: "Confirm Web Fetch", prompt, urls: [url] };
      }
      return { type: "info", title: `Confirm: ${displayNameOf(toolName)}`, prompt };
    }
  }
}

/** Encodes a change of a file. A missing file has the content "", as in gemini-cli. */
export function encodeGeminiDiff(diff: FileDiff): JsonObject {
  const { fileName, filePath, oldContent = "", newContent, formattedDiff = "" } = diff;
  return { fileName, filePath, fileDiff: formattedDiff, originalContent: oldContent, newContent };
}

/** Number of characters at the start of a command that are searched for programs. */
const MAX_LISTED_LENGTH = 10_000;
const KEYWORDS: readonly string[] = ["do", "done", "else", "fi", "if", "then", "until", "while"];

/**
 * Lists the programs of a command for people, as in "echo, sleep". The list is only approximate, and
 * no decision depends on it.
 */
function findRootCommands(command: string): string {
  const programs = command
    .slice(0, MAX_LISTED_LENGTH)
    .split(/[;\n|]|&&/)
    .flatMap((piece) => {
      const words = piece.trim().split(/\s+/);
      if (words[0] === "for") return [];
      return words.find((word) => word !== "" && !KEYWORDS.includes(word)) ?? [];
    });
  return [...new Set(programs)].join(", ");
}
