import { MAX_CALL_DEPTH } from "../../agent/external/call-agent.js";
import type { QuestionAnswer } from "../../agent/session-request.js";
import type { Part } from "../../event/part.js";
import { findExtensionValue } from "../../extension/extension-metadata.js";
import type { ExtensionUris } from "../../extension/extension-uri.js";
import { isCompatibleUri } from "../../extension/extension-version.js";
import type { ToolCallConfirmation } from "../../gen/development_tool/confirmation.js";
import type { AgentSettings } from "../../gen/development_tool/settings.js";
import type { ClientMessageInfo } from "../../gen/dt_session/message.js";
import {
  encodeMessage,
  failAt,
  isObject,
  type JsonObject,
  parseMessage,
} from "../../validation/message-json.js";
import type { A2aMessage } from "../a2a/a2a.js";
import { compact, nonEmpty, readObject } from "../a2a/read-json.js";
import { unnestModified } from "./modified-details.js";

/** Maximum number of characters of the reason for a refusal, which the model and all clients get. */
const MAX_REASON_LENGTH = 10_000;

/** A message of a client: a prompt, or answers to open questions. */
export type ClientMessage =
  | {
      readonly type: "prompt";
      readonly parts: readonly Part[];
      readonly settings?: AgentSettings;
      /** Set if the prompt should join the sender's own running turn. */
      readonly steer?: true;
      /** Number of agents that called each other to send the prompt. */
      readonly callDepth?: number;
    }
  | { readonly type: "confirmation"; readonly confirmations: readonly QuestionAnswer[] };

/** Ids of a client's message, its task and its session. */
export interface ClientMessageAddress {
  readonly messageId: string;
  readonly taskId?: string;
  readonly contextId?: string;
}

/**
 * Encodes a client's message as an A2A message that lists the RFC's extension, and the session
 * extension if the message uses it. (RFC 3.2, Client-to-Agent Messages)
 */
export function encodeClientMessage(
  message: ClientMessage,
  address: ClientMessageAddress,
  uris: ExtensionUris,
): A2aMessage {
  const header =
    message.type === "confirmation"
      ? { kind: "TOOL_CALL_CONFIRMATION" }
      : message.settings && encodeMessage("AgentSettings", message.settings);
  const info = nonEmpty(encodeMessage("ClientMessageInfo", infoOf(message)));
  return compact({
    ...address,
    role: "user" as const,
    parts:
      message.type === "prompt"
        ? message.parts
        : message.confirmations.map(
            (confirmation): Part => ({
              type: "data",
              data: encodeMessage("ToolCallConfirmation", confirmation),
            }),
          ),
    metadata: nonEmpty(compact({ [uris.developmentTool]: header, [uris.session]: info })),
    extensions: info ? [uris.developmentTool, uris.session] : [uris.developmentTool],
  });
}

function infoOf(message: ClientMessage): ClientMessageInfo {
  if (message.type === "prompt") {
    const { steer = false, callDepth = 0 } = message;
    return { reasons: {}, steer, callDepth };
  }
  const reasons = message.confirmations.flatMap(({ toolCallId, reason }) =>
    reason ? [[toolCallId, reason]] : [],
  );
  return { reasons: Object.fromEntries(reasons), steer: false, callDepth: 0 };
}

/** Inverse of {@link encodeClientMessage}. Throws an error with the path of the fault. */
export function decodeClientMessage(message: A2aMessage, uris: ExtensionUris): ClientMessage {
  if (message.parts.length === 0) failAt("message.parts", "expected at least one part");
  if (message.role !== "user") failAt("message.role", "expected a message of the user");
  const header = findExtensionValue(message.metadata, uris.developmentTool, "client");
  const headerPath = `message.metadata[${JSON.stringify(uris.developmentTool)}]`;
  if (header !== undefined && !isObject(header)) failAt(headerPath, "expected an object");

  const { reasons, steer, callDepth } = decodeInfo(message, uris);
  if (header?.kind === "TOOL_CALL_CONFIRMATION" || message.parts.some(looksLikeConfirmation)) {
    const confirmations = decodeConfirmations(message.parts);
    return { type: "confirmation", confirmations: withReasons(confirmations, reasons) };
  }
  return compact({
    type: "prompt" as const,
    parts: message.parts,
    settings:
      header && hasSettings(header) ? parseMessage("AgentSettings", header, headerPath) : undefined,
    steer: steer || undefined,
    callDepth: callDepth || undefined,
  });
}

// Decodes the session extension's value in a message. A client that only activates the extension may
// send an empty value or `true`.
function decodeInfo({ metadata }: A2aMessage, uris: ExtensionUris): ClientMessageInfo {
  const found = findExtensionValue(metadata, uris.session) ?? {};
  const value = found === true ? {} : found;
  const path = `message.metadata[${JSON.stringify(uris.session)}]`;
  if (!isObject(value)) failAt(path, "expected an object");
  const info = parseMessage("ClientMessageInfo", value, path);
  checkCallDepth(info, path);
  for (const [toolCallId, reason] of Object.entries(info.reasons)) {
    if (reason.length <= MAX_REASON_LENGTH) continue;
    const expectation = `expected at most ${MAX_REASON_LENGTH} characters`;
    failAt(`${path}.reasons[${JSON.stringify(toolCallId)}]`, expectation);
  }
  return info;
}

function checkCallDepth({ callDepth }: ClientMessageInfo, path: string): void {
  if (callDepth >= 0 && callDepth <= MAX_CALL_DEPTH) return;
  const expectation = `expected at most ${MAX_CALL_DEPTH}, because agents that call each other in a circle never end; remove this agent from the settings of the calling agent`;
  failAt(`${path}.call_depth`, expectation);
}

function withReasons(
  confirmations: readonly ToolCallConfirmation[],
  reasons: ClientMessageInfo["reasons"],
): readonly QuestionAnswer[] {
  return confirmations.map((confirmation) => {
    const { toolCallId } = confirmation;
    const reason = Object.hasOwn(reasons, toolCallId) ? reasons[toolCallId] : undefined;
    return reason ? { ...confirmation, reason } : confirmation;
  });
}

/**
 * Returns true if a message activates an extension: by an entry of its `extensions` or by a key of
 * its metadata. The message may be decoded or plain JSON.
 */
export function activatesExtension(message: unknown, uri: string): boolean {
  if (!isObject(message)) return false;
  const listed = Array.isArray(message.extensions) ? message.extensions : [];
  return (
    listed.some((each) => typeof each === "string" && isCompatibleUri(uri, each)) ||
    findExtensionValue(message.metadata, uri, "client") !== undefined
  );
}

function decodeConfirmations(parts: readonly Part[]): readonly ToolCallConfirmation[] {
  return parts.map((part, index) => {
    const path = `message.parts[${index}]`;
    if (part.type !== "data") failAt(path, "a message has answers or a prompt, not both");
    const data = readObject(part.data, `${path}.data`);
    return parseMessage(
      "ToolCallConfirmation",
      unnestModified(data, `${path}.data`),
      `${path}.data`,
    );
  });
}

function looksLikeConfirmation(part: Part): boolean {
  return (
    part.type === "data" &&
    isObject(part.data) &&
    ("selected_option_id" in part.data || "selectedOptionId" in part.data)
  );
}

// Returns true if a header has settings. The header of a session's first message has settings; the header
// of an answer has only a kind.
function hasSettings(header: JsonObject): boolean {
  return Object.keys(header).some((key) => key !== "kind");
}
