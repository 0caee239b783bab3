import type { AgentEvent, ToolCallUpdate } from "../../event/agent-event.js";
import { MAX_VIEW_ITEMS, reduceTaskView } from "../../event/reduce-task-view.js";
import {
  emptyTaskView,
  type ItemEvent,
  openQuestions,
  type TaskView,
  type ViewItem,
} from "../../event/task-view.js";
import { findExtensionValue } from "../../extension/extension-metadata.js";
import type { ExtensionUris } from "../../extension/extension-uri.js";
import { encodeMessage, isObject, type JsonObject } from "../../validation/message-json.js";
import type { A2aMessage, A2aTask } from "../a2a/a2a.js";
import { compact, nonEmpty } from "../a2a/read-json.js";
import { decodeContent, decodeStatusParts, encodeContent } from "./content-codec.js";
import {
  type Activation,
  findKind,
  isRfcEvent,
  kindHeaders,
  parseHeaderFields,
  toTaskState,
} from "./event-codec.js";

/** Options of {@link encodeTask}. */
export interface EncodeTaskOptions {
  readonly activation: Activation;
  /** Maximum number of messages; the last ones are included. Default: all messages of the view. */
  readonly historyLength?: number;
}

/** Encodes a view as an A2A task: the conversation as its history, open questions in its status. */
export function encodeTask(view: TaskView, options: EncodeTaskOptions): A2aTask {
  const { activation, historyLength = MAX_VIEW_ITEMS } = options;
  const visible = view.items.filter(({ event }) => isInHistory(event, activation));
  const first = Math.max(0, visible.length - historyLength);
  const history = visible
    .slice(first)
    .map((item, index) => encodeItem(view, item, first + index, activation));
  return compact({
    id: view.taskId,
    contextId: view.contextId,
    status: compact({
      state: view.state,
      timestamp: view.at || undefined,
      message: statusMessage(view, activation),
    }),
    history: historyLength === 0 ? undefined : history,
    artifacts: view.artifacts,
    metadata: taskMetadata(view, activation),
  });
}

/** Inverse of {@link encodeTask}, as far as A2A can express a view. */
export function decodeTask(task: A2aTask, uris: ExtensionUris): TaskView {
  const info = parseHeaderFields(
    "SessionEventInfo",
    findExtensionValue(task.metadata, uris.session),
  );
  const header = parseHeaderFields(
    "DevelopmentToolEvent",
    findExtensionValue(task.metadata, uris.developmentTool),
  );
  const { status } = task;
  const state = toTaskState(status.state);
  const base = { taskId: task.id, contextId: task.contextId, at: status.timestamp ?? "" };

  let view: TaskView = emptyTaskView(task.id, task.contextId);
  for (const message of task.history ?? []) {
    const at = timestampOf(message, uris) ?? base.at;
    const event = { ...decodeItem(message, uris), ...base, state: "submitted" as const, at };
    // A message of the history is complete, so its text does not continue the text of the message before it.
    view = reduceTaskView({ ...view, isTextOpen: false }, event);
  }
  // Every waiting call is in the status, so a task without its history has its questions too.
  const parts = status.message?.parts ?? [];
  const content = decodeStatusParts(parts, header.error, "status.message.parts");
  const known = reduceTaskView(
    view,
    compact({
      ...base,
      state,
      kind: "STATE_CHANGE" as const,
      ...content,
      model: header.model || undefined,
      error: header.error || undefined,
      usage: info.usage,
      cursor: info.cursor || undefined,
    }),
  );
  const artifacts = task.artifacts?.length ? task.artifacts : undefined;
  return compact({ ...known, artifacts, facts: info.facts, presence: info.presence });
}

function isInHistory(event: ItemEvent, activation: Activation): boolean {
  if (event.kind === "USER_PROMPT" || event.kind === "TEXT_CONTENT") return true;
  return isRfcEvent(event) ? activation.developmentTool : activation.session;
}

function encodeItem(
  view: TaskView,
  item: ViewItem,
  index: number,
  activation: Activation,
): A2aMessage {
  const { role, parts } = encodeContent(item.event);
  const messageId =
    item.event.kind === "USER_PROMPT"
      ? item.event.messageId
      : `${view.taskId}:item-${view.earlierItems + index}`;
  const metadata = { ...kindHeaders(item.event, activation) };
  if (activation.session) {
    const kindInfo = metadata[activation.uris.session];
    metadata[activation.uris.session] = compact({
      ...(isObject(kindInfo) ? kindInfo : {}),
      at: item.at,
      ...(item.event.kind === "TOOL_CALL_UPDATE" && callInfo(item.event)),
    });
  }
  return compact({
    messageId,
    role,
    parts,
    taskId: view.taskId,
    contextId: view.contextId,
    metadata: nonEmpty(metadata),
  });
}

function callInfo({ answer, parentCallId }: ToolCallUpdate): JsonObject {
  return {
    ...(answer !== undefined && { answer: encodeMessage("ConfirmationAnswer", answer) }),
    ...(parentCallId !== undefined && { parent_call_id: parentCallId }),
  };
}

function decodeItem(message: A2aMessage, uris: ExtensionUris): AgentEvent {
  const header = findExtensionValue(message.metadata, uris.developmentTool);
  const info = findExtensionValue(message.metadata, uris.session);
  const { kind, ...rest } = findKind(header, info);
  return decodeContent({
    kind: kind ?? (message.role === "user" ? "USER_PROMPT" : undefined),
    ...rest,
    parts: message.parts,
    messageId: message.messageId,
    info: parseHeaderFields("SessionEventInfo", info),
  });
}

function timestampOf(message: A2aMessage, uris: ExtensionUris): string | undefined {
  const info = findExtensionValue(message.metadata, uris.session);
  return isObject(info) && typeof info.at === "string" ? info.at : undefined;
}

function statusMessage(view: TaskView, activation: Activation): A2aMessage | undefined {
  const waiting = openQuestions(view);
  const { parts } = encodeContent({
    kind: "STATE_CHANGE",
    waiting,
    ...(view.error !== undefined && { error: view.error }),
    ...(view.statusParts !== undefined && { statusParts: view.statusParts }),
  });
  if (parts.length === 0) return undefined;
  return compact({
    // The message of the update that reported this status has the same id.
    messageId: `${view.taskId}:${view.cursor ?? "status"}`,
    role: "agent" as const,
    parts,
    taskId: view.taskId,
    contextId: view.contextId,
    metadata: activation.developmentTool
      ? { [activation.uris.developmentTool]: { kind: "STATE_CHANGE" } }
      : undefined,
  });
}

function taskMetadata(view: TaskView, activation: Activation): JsonObject | undefined {
  const { uris } = activation;
  const header = compact({ model: view.model, error: view.error });
  const info = encodeMessage("SessionEventInfo", {
    kind: "SESSION_EVENT_KIND_UNSPECIFIED",
    cursor: view.cursor ?? "",
    traceId: "",
    parentCallId: "",
    usage: view.usage,
    presence: view.presence,
    facts: view.facts,
  });
  return nonEmpty(
    compact({
      [uris.developmentTool]: activation.developmentTool ? nonEmpty(header) : undefined,
      [uris.session]: activation.session ? nonEmpty(info) : undefined,
    }),
  );
}
