import type { TaskState } from "../../event/task-state.js";
import type { ItemEvent, TaskView, ViewItem } from "../../event/task-view.js";
import type { FileDiff } from "../../gen/development_tool/file_diff.js";
import type { JsonObject } from "../../validation/message-json.js";
import type { A2aMessage } from "../a2a/a2a.js";
import { compact } from "../a2a/read-json.js";
import { spellings } from "../a2a/spellings.js";
import type { TaskOptions } from "../dialect.js";
import { CODER_AGENT_EVENTS, REFERENCE_STATES } from "./reference-events.js";
import { describeThought } from "./reference-stream.js";
import { encodeReferenceCall } from "./reference-tool-call-codec.js";

/** A task in a list. */
export interface ListedTask {
  readonly taskId: string;
  readonly contextId: string;
  readonly state: TaskState;
}

/** Encodes a new task for `POST /tasks`. */
export function encodeCreatedTask(task: ListedTask): JsonObject {
  const { id, contextId, state } = encodeListedTask(task);
  return { id, taskId: id, contextId, state };
}

/** Encodes one task of `GET /tasks`. */
export function encodeListedTask({ taskId, contextId, state }: ListedTask): {
  readonly id: string;
  readonly contextId: string;
  readonly state: string;
} {
  return { id: taskId, contextId, state: REFERENCE_STATES[state] };
}

/**
 * Encodes a task with its history and artifacts. Both have the form of A2A 0.3, because the task that the
 * server reference shows comes from an SDK of that version. A thought or a tool call is a data part with
 * the payload of its event. The artifacts are the agent's own artifacts and the files that the agent wrote.
 */
export function encodeReferenceTask(view: TaskView, options: TaskOptions = {}): JsonObject {
  const { model, error } = view;
  const { historyLength = Number.POSITIVE_INFINITY } = options;
  const messages = view.items.flatMap((item, index) => toMessage(view, item, index) ?? []);
  const shown = messages.slice(Math.max(0, messages.length - historyLength));
  return {
    ...encodeListedTask(view),
    timestamp: view.at,
    metadata: compact({ model, error }),
    history: shown.map(spellings["0.3"].encodeMessage),
    artifacts: [...givenArtifacts(view), ...writtenFiles(view)],
  };
}

function toMessage(view: TaskView, { event }: ViewItem, index: number): A2aMessage | undefined {
  const { taskId, contextId, earlierItems } = view;
  const base = { messageId: `${taskId}:item-${earlierItems + index}`, taskId, contextId };
  switch (event.kind) {
    case "USER_PROMPT":
      return { ...base, messageId: event.messageId, role: "user", parts: event.parts };
    case "TEXT_CONTENT": {
      const text = event.text === "" ? [] : [{ type: "text" as const, text: event.text }];
      return { ...base, role: "agent", parts: [...text, ...(event.attachments ?? [])] };
    }
    default: {
      const data = payloadOf(event);
      return data && { ...base, role: "agent", parts: [{ type: "data", data }] };
    }
  }
}

function payloadOf(event: ItemEvent): object | undefined {
  switch (event.kind) {
    case "TOOL_CALL_UPDATE":
      return encodeReferenceCall(event.toolCall);
    case "THOUGHT":
      return { type: CODER_AGENT_EVENTS.THOUGHT, thought: describeThought(event.thought) };
    case "THOUGHT_SUMMARY":
      return { type: CODER_AGENT_EVENTS.THOUGHT_SUMMARY, summary: event.thoughtSummary.summary };
    default:
      return undefined;
  }
}

function givenArtifacts({ taskId, contextId, artifacts = [] }: TaskView): readonly unknown[] {
  const task = { id: taskId, contextId, status: { state: "working" as const }, artifacts };
  return spellings["0.3"].encodeTask(task).artifacts as readonly unknown[];
}

/** Returns the files that the agent wrote, each with its last content. */
function writtenFiles({ items }: TaskView): readonly JsonObject[] {
  const files = new Map<string, FileDiff>();
  for (const { event } of items) {
    if (event.kind !== "TOOL_CALL_UPDATE") continue;
    const { result } = event.toolCall;
    const output = result?.$case === "output" ? result.value.result : undefined;
    if (output?.$case === "diff") files.set(output.value.filePath, output.value);
  }
  return [...files].map(([path, { fileName, newContent }]) => ({
    artifactId: path,
    name: fileName,
    parts: [{ kind: "text", text: newContent }],
  }));
}
