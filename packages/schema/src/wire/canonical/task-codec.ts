import { isRfcKind } from "../../event/agent-event.js";
import { MAX_VIEW_ITEMS, reduceTaskView } from "../../event/reduce-task-view.js";
import {
  emptyTaskView,
  openQuestions,
  type TaskView,
  type ViewItem,
} from "../../event/task-view.js";
import { findExtensionValue } from "../../extension/extension-metadata.js";
import type { ExtensionUris } from "../../extension/extension-uri.js";
import { encodeMessage, isObject, parseMessage } from "../../validation/message-json.js";
import type { A2aMessage, A2aTask } from "../a2a/a2a.js";
import { compact } from "../a2a/read-json.js";
import { decodeContent, encodeContent } from "./content-codec.js";
import { type Activation, kindHeaders, toTaskState } from "./event-codec.js";

/** Options of {@link encodeTask}. */
export interface EncodeTaskOptions {
  readonly activation: Activation;
  /** How many of the last messages to include; absent: all that the view holds; 0: none. */
  readonly historyLength?: number;
}

/** A view → A2A's task: its conversation as history, its open questions in the status. */
export function encodeTask(view: TaskView, options: EncodeTaskOptions): A2aTask {
  const { activation, historyLength = MAX_VIEW_ITEMS } = options;
  const visible = view.items.filter(({ event }) => isInHistory(event.kind, activation));
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
    artifacts: answerArtifact(view, activation),
    metadata: taskMetadata(view, activation),
  });
}

/** Inverse of {@link encodeTask} as far as A2A can hold a view. */
export function decodeTask(task: A2aTask, uris: ExtensionUris): TaskView {
  const info = findExtensionValue(task.metadata, uris.session);
  const cursor = isObject(info) && typeof info.cursor === "string" ? info.cursor : undefined;
  const header = findExtensionValue(task.metadata, uris.developmentTool);
  const model = isObject(header) && typeof header.model === "string" ? header.model : undefined;
  const error = isObject(header) && typeof header.error === "string" ? header.error : undefined;
  const state = toTaskState(task.status.state);
  const at = task.status.timestamp ?? "";

  let view: TaskView = emptyTaskView(task.id, task.contextId);
  for (const message of task.history ?? []) {
    const event = decodeItem(message, uris);
    // A message of the history is whole: text is not a piece of the text before.
    view = reduceTaskView(
      { ...view, state: "submitted" },
      {
        ...event,
        taskId: task.id,
        contextId: task.contextId,
        state: "submitted",
        at: timestampOf(message) ?? at,
      },
    );
  }
  return compact({ ...view, state, at, cursor, model, error }) as TaskView;
}

function isInHistory(kind: ViewItem["event"]["kind"], activation: Activation): boolean {
  if (kind === "USER_PROMPT" || kind === "TEXT_CONTENT") return true;
  return isRfcKind(kind) ? activation.developmentTool : activation.session;
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
      answer:
        item.event.kind === "TOOL_CALL_UPDATE" && item.event.answer !== undefined
          ? encodeMessage("ConfirmationAnswer", item.event.answer)
          : undefined,
    });
  }
  return compact({
    messageId,
    role,
    parts,
    taskId: view.taskId,
    contextId: view.contextId,
    metadata: Object.keys(metadata).length === 0 ? undefined : metadata,
  });
}

function decodeItem(message: A2aMessage, uris: ExtensionUris) {
  const header = findExtensionValue(message.metadata, uris.developmentTool);
  const info = findExtensionValue(message.metadata, uris.session);
  const kind = [info, header]
    .map((value) => (isObject(value) ? value.kind : undefined))
    .find((value) => typeof value === "string");
  const known = isObject(info) ? { origin: info.origin, answer: info.answer } : {};
  return decodeContent({
    kind: kind ?? (message.role === "user" ? "USER_PROMPT" : undefined),
    parts: message.parts,
    messageId: message.messageId,
    info: parseMessage("SessionEventInfo", known, "metadata"),
  });
}

function timestampOf(message: A2aMessage): string | undefined {
  for (const value of Object.values(message.metadata ?? {})) {
    if (isObject(value) && typeof value.at === "string") return value.at;
  }
  return undefined;
}

function statusMessage(view: TaskView, activation: Activation): A2aMessage | undefined {
  const waiting = openQuestions(view);
  const { parts } = encodeContent({
    kind: "STATE_CHANGE",
    waiting,
    ...(view.error !== undefined && { error: view.error }),
  });
  if (parts.length === 0) return undefined;
  return compact({
    messageId: `${view.taskId}:status`,
    role: "agent" as const,
    parts,
    metadata: activation.developmentTool
      ? { [activation.uris.developmentTool]: { kind: "STATE_CHANGE" } }
      : undefined,
  });
}

// Several frameworks read artifacts only: a plain client finds the last answer there too.
function answerArtifact(view: TaskView, activation: Activation) {
  if (activation.developmentTool || view.state !== "completed") return undefined;
  const last = view.items.findLast(({ event }) => event.kind === "TEXT_CONTENT");
  if (last?.event.kind !== "TEXT_CONTENT") return undefined;
  return [
    {
      artifactId: "answer",
      name: "answer",
      parts: [{ type: "text" as const, text: last.event.text }],
    },
  ];
}

function taskMetadata(view: TaskView, activation: Activation) {
  const { uris } = activation;
  const header = compact({ model: view.model, error: view.error });
  const metadata = compact({
    [uris.developmentTool]:
      activation.developmentTool && Object.keys(header).length > 0 ? header : undefined,
    [uris.session]:
      activation.session && view.cursor !== undefined ? { cursor: view.cursor } : undefined,
  });
  return Object.keys(metadata).length === 0 ? undefined : metadata;
}
