import type {
  ConfirmationOption,
  ConfirmationRequest,
} from "../../gen/development_tool/confirmation.js";
import type { FileDiff } from "../../gen/development_tool/file_diff.js";
import { buildConfirmationOptions, OPTION_IDS } from "../../tool-call/confirmation-options.js";
import type { JsonObject } from "../../validation/message-json.js";
import { compact, findString, findStrings, join, readString } from "../a2a/read-json.js";

const ALWAYS_SERVER = "proceed_always_server";

/** Decodes the peer's `confirmationDetails` as a question with options that the peer accepts. */
export function decodeGeminiConfirmation(details: JsonObject, path: string): ConfirmationRequest {
  switch (details.type) {
    case "edit":
      return {
        options: buildConfirmationOptions("all edits of this task"),
        details: { $case: "fileEditDetails", value: decodeGeminiDiff(details, path) },
      };
    case "exec":
      return {
        options: buildConfirmationOptions(alwaysOf(details, path)),
        details: {
          $case: "executeDetails",
          value: { command: readString(details, "command", path) },
        },
      };
    case "mcp":
      return {
        options: mcpOptions(readString(details, "serverName", path)),
        details: {
          $case: "mcpDetails",
          value: {
            serverName: readString(details, "serverName", path),
            toolName: readString(details, "toolName", path),
          },
        },
      };
    default:
      return {
        options: buildConfirmationOptions("this tool, in this task"),
        details: { $case: "genericDetails", value: { description: describe(details, path) } },
      };
  }
}

/** Decodes a change of a file in the peer's questions and results. */
export function decodeGeminiDiff(json: JsonObject, path: string): FileDiff {
  // The peer sends "" both for an empty file and for a file that does not exist.
  const oldContent = findString(json, "originalContent", path);
  return compact({
    fileName: readString(json, "fileName", path),
    filePath: findString(json, "filePath", path) ?? readString(json, "fileName", path),
    oldContent,
    newContent: findString(json, "newContent", path) ?? "",
    formattedDiff: findString(json, "fileDiff", path),
  });
}

/**
 * Encodes the chosen option as the peer's outcome. For MCP tools, our option "always" becomes the
 * peer's outcome that allows one tool. Every other option has the name of the peer's outcome.
 */
export function encodeGeminiOutcome(optionId: string, question: ConfirmationRequest): string {
  const isAlways = optionId === OPTION_IDS.proceedAlways;
  return isAlways && question.details?.$case === "mcpDetails" ? "proceed_always_tool" : optionId;
}

function alwaysOf(details: JsonObject, path: string): string {
  const root = findString(details, "rootCommand", path);
  return root === undefined ? "this command, in this task" : `${root}, in this task`;
}

function mcpOptions(serverName: string): readonly ConfirmationOption[] {
  return buildConfirmationOptions("this tool, in this task").flatMap((option) =>
    option.id === OPTION_IDS.proceedAlways
      ? [
          option,
          {
            id: ALWAYS_SERVER,
            name: "Always allow the server",
            description: `all tools of ${serverName}, in this task`,
          },
        ]
      : [option],
  );
}

// Describes details that are not an edit, a command or an MCP tool. The description has the title, the
// prompt, and URLs that are not in the prompt.
function describe(details: JsonObject, path: string): string {
  const title = findString(details, "title", path);
  const prompt = findString(details, "prompt", path);
  const urls = (findStrings(details, "urls", join(path, "")) ?? []).filter(
    (url) => prompt?.includes(url) !== true,
  );
  return [title, prompt, ...urls].filter((line) => line !== undefined).join("\n");
}
