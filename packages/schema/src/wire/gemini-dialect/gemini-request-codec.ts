import type { Part } from "../../event/part.js";
import type { ToolCallConfirmation } from "../../gen/development_tool/confirmation.js";
import type { AgentSettings } from "../../gen/development_tool/settings.js";
import { OPTION_IDS } from "../../tool-call/confirmation-options.js";
import { failAt, isObject, type JsonObject } from "../../validation/message-json.js";
import type { A2aMessage } from "../a2a/a2a.js";
import { decodeSendParams } from "../a2a/operations.js";
import {
  compact,
  findBoolean,
  findString,
  join,
  readObject,
  readString,
} from "../a2a/read-json.js";
import { V0_3 } from "../a2a/v0-3.js";
import type { ClientMessage } from "../canonical/client-message-codec.js";
import type { ReceivedMessage } from "../dialect.js";

const SETTINGS_PATH = "message.metadata.coderAgent";

/** Returns true for parameters with settings or answers of gemini-cli's clients, even invalid ones. */
export function isGeminiParams(params: unknown): boolean {
  const message = isObject(params) ? params.message : undefined;
  if (!isObject(message)) return false;
  if (isObject(message.metadata) && "coderAgent" in message.metadata) return true;
  const parts = Array.isArray(message.parts) ? message.parts : [];
  return parts.some((part) => isObject(part) && isGeminiAnswer(part.data));
}

/** Decodes a message of gemini-cli's clients. Throws an error with the path of the fault. */
export function decodeGeminiMessage(params: unknown): ReceivedMessage {
  const { message, pushConfig, ...options } = decodeSendParams(params, V0_3);
  const { messageId, taskId, contextId } = message;
  const path = `configuration.${V0_3.push.configurationKey}`;
  return compact({
    ...options,
    messageId,
    taskId,
    contextId,
    content: decodeContent(message),
    push: pushConfig && { config: pushConfig, path },
  });
}

function decodeContent({ parts, role, metadata = {} }: A2aMessage): ClientMessage {
  if (parts.length === 0) failAt("message.parts", "expected at least one part");
  if (role !== "user") failAt("message.role", "expected a message of the user");
  if (parts.some((part) => part.type === "data" && isGeminiAnswer(part.data))) {
    return { type: "confirmation", confirmations: parts.map(decodeAnswer) };
  }
  const settings =
    metadata.coderAgent === undefined
      ? undefined
      : decodeSettings(readObject(metadata.coderAgent, SETTINGS_PATH));
  return compact({ type: "prompt" as const, parts, settings });
}

// Decodes settings. Returns undefined for settings of another kind, which gemini-cli's server ignores.
function decodeSettings(json: JsonObject): AgentSettings | undefined {
  if (json.kind !== "agent-settings") return undefined;
  const workspacePath = findString(json, "workspacePath", SETTINGS_PATH) ?? "";
  const autoExecute = findBoolean(json, "autoExecute", SETTINGS_PATH);
  if (workspacePath === "" && autoExecute === undefined) return undefined;
  return compact({ workspacePath, autoExecute, allowedTools: [], mcpServers: {} });
}

function isGeminiAnswer(data: unknown): boolean {
  return isObject(data) && "callId" in data && "outcome" in data;
}

function decodeAnswer(part: Part, index: number): ToolCallConfirmation {
  const path = `message.parts[${index}]`;
  if (part.type !== "data") failAt(path, "a message has answers or a prompt, not both");
  const dataPath = join(path, "data");
  const data = readObject(part.data, dataPath);
  const { newContent } = data;
  if (newContent !== undefined && typeof newContent !== "string") {
    failAt(join(dataPath, "newContent"), "expected a string");
  }
  return {
    toolCallId: readString(data, "callId", dataPath),
    selectedOptionId: decodeOutcome(
      readString(data, "outcome", dataPath),
      join(dataPath, "outcome"),
    ),
    modifiedDetails:
      newContent === undefined ? undefined : { $case: "fileDetails", value: { newContent } },
  };
}

/**
 * Options of our questions, by gemini-cli's outcome. Our "always" allows one tool at most, so an
 * outcome for a whole server allows less than the client asked for, never more.
 */
const OPTIONS: Readonly<Record<string, keyof typeof OPTION_IDS>> = {
  proceed_once: "proceedOnce",
  proceed_always: "proceedAlways",
  proceed_always_tool: "proceedAlways",
  proceed_always_server: "proceedAlways",
  cancel: "cancel",
};

function decodeOutcome(outcome: string, path: string): string {
  if (outcome === "modify_with_editor") {
    failAt(path, "this server opens no editor; send proceed_once with newContent");
  }
  const option = Object.hasOwn(OPTIONS, outcome) ? OPTIONS[outcome] : undefined;
  if (option !== undefined) return OPTION_IDS[option];
  return failAt(path, `expected one of ${Object.keys(OPTIONS).join(", ")}`);
}
