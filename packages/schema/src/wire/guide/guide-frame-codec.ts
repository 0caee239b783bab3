import type { SessionEvent } from "../../event/agent-event.js";
import { textOf } from "../../event/part.js";
import type { ConfirmationRequest } from "../../gen/development_tool/confirmation.js";
import type { ToolCall } from "../../gen/development_tool/tool_call.js";
import { OPTION_IDS } from "../../tool-call/confirmation-options.js";
import { encodeMessage, type JsonObject } from "../../validation/message-json.js";
import { compact } from "../a2a/read-json.js";

/**
 * Encodes an event as a flat frame of the live endpoint. Returns undefined for an event that has no
 * frame in the guide. (the live endpoint's guide, sections 3 and 4)
 *
 * The guide has four kinds of frames. A prompt becomes text with the role of a user. A queue and the
 * error of a turn become console lines.
 */
export function encodeGuideFrame(event: SessionEvent): JsonObject | undefined {
  const { taskId } = event;
  switch (event.kind) {
    case "THOUGHT": {
      const { subject, description } = event.thought;
      return { kind: "THOUGHT", thought: { subject, description }, taskId };
    }
    case "TEXT_CONTENT":
      return { kind: "TEXT_CONTENT", content: { text: event.text }, taskId };
    case "USER_PROMPT": {
      const { name, principal } = event.origin;
      const content = { text: textOf(event.parts) };
      return { kind: "TEXT_CONTENT", content, role: "user", origin: name || principal, taskId };
    }
    case "TOOL_CALL_UPDATE":
      return { kind: "TOOL_CALL_UPDATE", ...encodeToolCall(event.toolCall), taskId };
    case "CONSOLE_LOG":
      return consoleLog(event.log.type, event.log.content, taskId);
    case "STATE_CHANGE":
      return event.error === undefined ? undefined : consoleLog("error", event.error, taskId);
    case "QUEUE": {
      const { length } = event.prompts;
      if (length === 0) return undefined;
      return consoleLog(
        "info",
        `${length} ${length === 1 ? "prompt waits" : "prompts wait"}`,
        taskId,
      );
    }
    default:
      return undefined;
  }
}

function consoleLog(type: string, content: string, taskId: string): JsonObject {
  return { kind: "CONSOLE_LOG", type, content, taskId };
}

function encodeToolCall(toolCall: ToolCall): JsonObject {
  const { confirmationRequest, ...call } = toolCall;
  return compact({
    ...encodeMessage("ToolCall", call),
    confirmation_request: confirmationRequest && encodeRequest(confirmationRequest),
  });
}

/** Names of options in the guide, by the option's id. Other options keep our names. */
const GUIDE_NAMES: Readonly<Record<string, string>> = {
  [OPTION_IDS.proceedOnce]: "Allow Once",
  [OPTION_IDS.cancel]: "Cancel",
};

// Encodes a question. The guide nests the details one level deeper than the RFC.
function encodeRequest({ options: offered, ...request }: ConfirmationRequest): JsonObject {
  const named = offered.map((option) => ({
    ...option,
    name: GUIDE_NAMES[option.id] ?? option.name,
  }));
  const { options, ...details } = encodeMessage("ConfirmationRequest", {
    ...request,
    options: named,
  });
  return { options: options ?? [], details };
}
