import { type Artifact, type Part, textOf } from "../../event/part.js";
import { toDocumentState } from "../../event/task-state.js";
import type { ItemEvent } from "../../event/task-view.js";
import { openQuestions, type TaskView, type ViewItem } from "../../event/task-view.js";
import type { ToolCall } from "../../gen/development_tool/tool_call.js";
import type { A2aMessage, A2aState, A2aTask } from "../a2a/a2a.js";
import { compact } from "../a2a/read-json.js";
import type { TaskOptions } from "../dialect.js";
import { encodeGeminiCall, toGeminiStatus } from "./gemini-call-codec.js";
import { buildGeminiArtifact } from "./gemini-updates.js";

/**
 * Builds a task as gemini-cli's server sends it. Between turns, the task waits for the next prompt.
 * The history of the task contains the calls with their latest status.
 */
export function buildGeminiTask(view: TaskView, { historyLength }: TaskOptions = {}): A2aTask {
  const { taskId, contextId, error, at } = view;
  const messages = view.items.flatMap((item, index) => toMessage(view, item, index));
  const history = historyLength === undefined ? messages : lastOf(messages, historyLength);
  const state = toGeminiState(view);
  const words = textOf(view.statusParts ?? []) || undefined;
  const text = state === "canceled" ? "Task cancellation requested by user." : (error ?? words);
  return {
    id: taskId,
    contextId,
    status: compact({
      state,
      message: text === undefined ? undefined : textMessage(view, text),
      timestamp: at || undefined,
    }),
    history,
    artifacts: [...(view.artifacts ?? []), ...view.openCalls.flatMap(toGeminiOutput)],
    metadata: { _contextId: contextId },
  };
}

/** Converts the state of a task. A task of gemini-cli never completes or fails; it waits for a prompt. */
function toGeminiState(view: TaskView): A2aState {
  const state = toDocumentState(view.state);
  const isOver = state === "completed" || state === "failed";
  return isOver || openQuestions(view).length > 0 ? "input-required" : state;
}

function textMessage({ taskId, contextId }: TaskView, text: string): A2aMessage {
  const parts = [{ type: "text" as const, text }];
  return { role: "agent", parts, messageId: `${taskId}:status`, taskId, contextId };
}

function toMessage(view: TaskView, { event }: ViewItem, index: number): readonly A2aMessage[] {
  const { taskId, contextId, earlierItems } = view;
  if (event.kind === "USER_PROMPT") {
    const { messageId, parts } = event;
    return [{ role: "user", messageId, parts, contextId, taskId }];
  }
  const parts = toParts(event, taskId);
  const messageId = `${taskId}:item-${earlierItems + index}`;
  return parts.length === 0 ? [] : [{ role: "agent", parts, messageId, taskId, contextId }];
}

function toParts(event: ItemEvent, taskId: string): readonly Part[] {
  switch (event.kind) {
    case "TEXT_CONTENT":
      return [{ type: "text", text: event.text }, ...(event.attachments ?? [])];
    case "THOUGHT": {
      const { subject, description } = event.thought;
      return [{ type: "data", data: { subject, description } }];
    }
    case "TOOL_CALL_UPDATE": {
      const status = toGeminiStatus(event.toolCall);
      return [{ type: "data", data: encodeGeminiCall(event.toolCall, { taskId, status }) }];
    }
    default:
      return [];
  }
}

/** Returns the live output of a call as an artifact of the task, for clients that join late. */
function toGeminiOutput({ toolCallId, liveContent }: ToolCall): readonly Artifact[] {
  return liveContent === undefined ? [] : [buildGeminiArtifact(toolCallId, liveContent)];
}

function lastOf<TItem>(items: readonly TItem[], count: number): readonly TItem[] {
  return count === 0 ? [] : items.slice(-count);
}
