import type { ToolCallConfirmation } from "../../gen/development_tool/confirmation.js";
import { OPTION_IDS } from "../../tool-call/confirmation-options.js";
import { failAt, type JsonObject } from "../../validation/message-json.js";
import { compact, findBoolean, findObject, findString, readObject } from "../a2a/read-json.js";
import type { ReceivedMessage } from "../dialect.js";

/**
 * Decodes the body of `POST /tasks/:taskId/execute`, to which the route adds the task id of its path.
 * `message` is a prompt, and `confirmation` is an answer. Throws an error with the path of the fault.
 * (server reference, "HTTP API")
 *
 * `messageId` is our addition: a client that sends a message again with its id gets the same turn.
 */
export function decodeReferenceMessage(params: unknown): ReceivedMessage {
  const body = readObject(params, "body");
  const base = {
    messageId: findString(body, "messageId", ""),
    taskId: findString(body, "taskId", ""),
    returnsImmediately: false,
  };
  const confirmation = findObject(body, "confirmation", "");
  if ((confirmation === undefined) === (body.message === undefined)) {
    failAt("body", "expected either message or confirmation");
  }
  if (confirmation !== undefined) {
    const content = { type: "confirmation", confirmations: [decodeAnswer(confirmation)] } as const;
    return compact({ ...base, content });
  }
  const text = findString(body, "message", "") ?? failAt("message", "expected a text");
  const content = { type: "prompt", parts: [{ type: "text", text }] } as const;
  return compact({ ...base, content });
}

/**
 * Decodes an answer. The server reference defines `approved`. We added `optionId`, which chooses any
 * of the offered options, and `newContent`, which replaces the content of a file.
 */
function decodeAnswer(json: JsonObject): ToolCallConfirmation {
  const path = "confirmation";
  const toolCallId = findString(json, "toolCallId", path);
  const approved = findBoolean(json, "approved", path);
  const optionId = findString(json, "optionId", path);
  const newContent = json.newContent ?? undefined;
  if (toolCallId === undefined) failAt(`${path}.toolCallId`, "required");
  if (newContent !== undefined && typeof newContent !== "string") {
    failAt(`${path}.newContent`, "expected a string");
  }
  if (approved !== undefined && optionId !== undefined) {
    failAt(path, "expected either approved or optionId");
  }
  return {
    toolCallId,
    selectedOptionId: optionId ?? optionOf(approved),
    modifiedDetails:
      newContent === undefined ? undefined : { $case: "fileDetails", value: { newContent } },
  };
}

function optionOf(approved: boolean | undefined): string {
  if (approved === undefined) return failAt("confirmation.approved", "expected true or false");
  return approved ? OPTION_IDS.proceedOnce : OPTION_IDS.cancel;
}
