import type { Part } from "../../event/part.js";
import type { ToolCallConfirmation } from "../../gen/development_tool/confirmation.js";
import type { AgentSettings } from "../../gen/development_tool/settings.js";
import { OPTION_IDS } from "../../tool-call/confirmation-options.js";
import { failAt, isObject, type JsonObject } from "../../validation/message-json.js";
import {
  compact,
  findBoolean,
  findObject,
  findString,
  readObject,
  readString,
} from "../a2a/read-json.js";
import { spellings } from "../a2a/spellings.js";
import type { ClientMessage } from "../canonical/client-message-codec.js";
import type { ReceivedMessage } from "../dialect.js";

/** The content of a `userMessage`, and the ids that an A2A message may have. */
interface UserMessage {
  readonly parts?: readonly Part[];
  readonly settings?: AgentSettings;
  readonly confirmations?: readonly ToolCallConfirmation[];
  readonly messageId?: string;
  readonly taskId?: string;
  readonly contextId?: string;
}

/**
 * Decodes the body of `POST /message/stream`: the ids, `userMessage`, and optionally `agentSettings`
 * beside the prompt. Throws an error with the path of the fault. (protocol notes, Responding to
 * confirmations)
 *
 * Settings without a prompt create a task, or configure a task that waits for its first prompt.
 */
export function decodeNotesMessage(body: unknown): ReceivedMessage {
  const json = readObject(body, "body");
  const message = decodeUserMessage(json.userMessage);
  const settings = findObject(json, "agentSettings", "");
  return compact({
    messageId: findString(json, "messageId", "") ?? message.messageId,
    taskId: findString(json, "taskId", "") ?? message.taskId,
    contextId: findString(json, "contextId", "") ?? message.contextId,
    content: toContent({
      ...message,
      ...(settings !== undefined && { settings: decodeNotesSettings(settings, "agentSettings") }),
    }),
    returnsImmediately: false,
  });
}

/** Decodes settings: `{kind: "agent-settings", workspacePath, autoExecute?}`. */
export function decodeNotesSettings(json: JsonObject, path: string): AgentSettings {
  return compact({
    workspacePath: readString(json, "workspacePath", path),
    autoExecute: findBoolean(json, "autoExecute", path),
    allowedTools: [],
    mcpServers: {},
  });
}

function toContent({ parts = [], settings, confirmations = [] }: UserMessage): ClientMessage {
  if (confirmations.length > 0) {
    if (parts.length > 0) failAt("userMessage.parts", "expected answers or a prompt, not both");
    return { type: "confirmation", confirmations };
  }
  if (parts.length === 0 && settings === undefined) failAt("userMessage", "required");
  return compact({ type: "prompt" as const, parts, settings });
}

/** Decodes a text, an object with the `kind` of one of the notes' messages, or an A2A message. */
function decodeUserMessage(value: unknown): UserMessage {
  if (value === undefined || value === null || value === "") return {};
  if (typeof value === "string") return { parts: [{ type: "text", text: value }] };
  const path = "userMessage";
  const message = isObject(value) ? value : failAt(path, "expected a text or an object");
  if (message.parts !== undefined) return decodeA2aMessage(message, path);
  if (message.kind === "text") {
    return { parts: [{ type: "text", text: readString(message, "text", path) }] };
  }
  return (
    decodeKind(message, path) ??
    failAt(`${path}.kind`, "expected text, agent-settings, tool-call-confirmation or message")
  );
}

/** Decodes a message with a kind of the notes. Returns undefined for any other kind. */
function decodeKind(json: JsonObject, path: string): UserMessage | undefined {
  if (json.kind === "agent-settings") return { settings: decodeNotesSettings(json, path) };
  if (json.kind !== "tool-call-confirmation") return undefined;
  const toolCallId = readString(json, "toolCallId", path);
  const isApproved =
    findBoolean(json, "approved", path) ?? failAt(`${path}.approved`, "expected true or false");
  const selectedOptionId = isApproved ? OPTION_IDS.proceedOnce : OPTION_IDS.cancel;
  return { confirmations: [{ toolCallId, selectedOptionId, modifiedDetails: undefined }] };
}

function decodeA2aMessage(json: JsonObject, path: string): UserMessage {
  const { parts, messageId = "-", role = "user" } = json;
  if (role !== "user" && role !== "ROLE_USER")
    failAt(`${path}.role`, "expected a message of the user");
  const hasKinds = Array.isArray(parts) && parts.some((part) => isObject(part) && "kind" in part);
  const message = hasKinds
    ? spellings["0.3"].decodeMessage({ ...json, messageId, role: "user" }, path)
    : spellings["1.0"].decodeMessage({ ...json, messageId, role: "ROLE_USER" }, path);
  const { coderAgent } = message.metadata ?? {};
  const found = message.parts.map((part, index) => decodePart(part, `${path}.parts[${index}]`));
  const settings = isObject(coderAgent)
    ? decodeKind(coderAgent, `${path}.metadata.coderAgent`)?.settings
    : undefined;
  return compact({
    parts: found.flatMap((each) => each.parts ?? []),
    settings: found.find((each) => each.settings !== undefined)?.settings ?? settings,
    confirmations: found.flatMap((each) => each.confirmations ?? []),
    messageId: messageId === "-" ? undefined : message.messageId,
    taskId: message.taskId,
    contextId: message.contextId,
  });
}

// Decodes a part of an A2A message. Settings and answers may be data parts.
function decodePart(part: Part, path: string): UserMessage {
  const data = part.type === "data" && isObject(part.data) ? part.data : {};
  return decodeKind(data, `${path}.data`) ?? { parts: [part] };
}
