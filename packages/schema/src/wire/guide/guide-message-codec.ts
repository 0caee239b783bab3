import { failAt, isObject, parseMessage } from "../../validation/message-json.js";
import { findObject, findString, join, readObject } from "../a2a/read-json.js";
import type { ClientMessage } from "../canonical/client-message-codec.js";
import { unnestModified } from "../canonical/modified-details.js";

/** A message of a client of the live endpoint. The ids of message and task are optional. */
export type GuideMessage = ClientMessage & {
  readonly messageId?: string;
  readonly taskId?: string;
};

/**
 * Returns true for parameters of the guide, whose messages have `content`. Messages of A2A have
 * `parts`.
 */
export function isGuideParams(params: unknown): boolean {
  const message = isObject(params) ? params.message : undefined;
  return isObject(message) && isObject(message.content) && message.parts === undefined;
}

/**
 * Decodes the parameters of the guide's `message/stream`. `message.content.text` is a prompt, and
 * `message.content.data` is an answer. Throws an error with the path of the fault. (the live
 * endpoint's guide, sections 3 and 4)
 */
export function decodeGuideMessage(params: unknown): GuideMessage {
  const message = readObject(readObject(params, "params").message, "message");
  const content = readObject(message.content, "message.content");
  const messageId = findString(message, "messageId", "message");
  const taskId = findString(message, "taskId", "message");
  const base = {
    ...(messageId !== undefined && { messageId }),
    ...(taskId !== undefined && { taskId }),
  };
  const text = findString(content, "text", "message.content");
  const data = findObject(content, "data", "message.content");
  if ((text === undefined) === (data === undefined)) {
    failAt("message.content", "expected either text or data");
  }
  if (data === undefined) {
    return { ...base, type: "prompt", parts: [{ type: "text", text: text ?? "" }] };
  }
  return { ...base, type: "confirmation", confirmations: [decodeAnswer(data)] };
}

function decodeAnswer(data: ReturnType<typeof readObject>) {
  const path = "message.content.data";
  const kind = data.kind ?? "TOOL_CALL_CONFIRMATION";
  if (kind !== "TOOL_CALL_CONFIRMATION") {
    failAt(join(path, "kind"), "expected TOOL_CALL_CONFIRMATION");
  }
  return parseMessage("ToolCallConfirmation", unnestModified(data, path), path);
}
