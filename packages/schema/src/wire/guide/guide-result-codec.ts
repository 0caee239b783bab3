import { toDocumentState } from "../../event/task-state.js";
import { openQuestions, type TaskView } from "../../event/task-view.js";
import type { JsonObject } from "../../validation/message-json.js";
import { compact } from "../a2a/read-json.js";
import { encodeGuideFrame } from "./guide-frame-codec.js";

/**
 * Encodes the view of a turn as the reply to a message that opened no stream. The reply contains the
 * agent's text and the frames of open questions.
 */
export function encodeGuideResult(view: TaskView): JsonObject {
  const { taskId, contextId, state, at, error } = view;
  const header = { taskId, contextId, state, at };
  const text = view.items
    .flatMap(({ event }) => (event.kind === "TEXT_CONTENT" ? [event.text] : []))
    .join("\n");
  const confirmations = openQuestions(view).map((toolCall) =>
    encodeGuideFrame({ kind: "TOOL_CALL_UPDATE", toolCall, ...header }),
  );
  return compact({
    taskId,
    state: toDocumentState(state),
    content: { text },
    confirmations: confirmations.length > 0 ? confirmations : undefined,
    error,
  });
}
