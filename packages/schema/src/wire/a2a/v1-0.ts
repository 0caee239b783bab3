import type { Artifact, Part } from "../../event/part.js";
import { checkDepth, failAt, isObject, type JsonObject } from "../../validation/message-json.js";
import type { A2aFrame, A2aMessage, A2aSpelling, A2aState, A2aStatus, A2aTask } from "./a2a.js";
import { decodeArtifact, decodeArtifactUpdate } from "./decode-artifact.js";
import { PUSH_V1_0 } from "./push/push-v1-0.js";
import {
  compact,
  findBytes,
  findList,
  findObject,
  findString,
  findStrings,
  join,
  readObject,
  readString,
} from "./read-json.js";

const SPELLED_STATES: Readonly<Record<A2aState, string>> = {
  submitted: "TASK_STATE_SUBMITTED",
  working: "TASK_STATE_WORKING",
  completed: "TASK_STATE_COMPLETED",
  failed: "TASK_STATE_FAILED",
  canceled: "TASK_STATE_CANCELED",
  "input-required": "TASK_STATE_INPUT_REQUIRED",
  rejected: "TASK_STATE_REJECTED",
  "auth-required": "TASK_STATE_AUTH_REQUIRED",
  unknown: "TASK_STATE_UNSPECIFIED",
};
const STATES = new Map(
  Object.entries(SPELLED_STATES).map(([state, spelled]) => [spelled, state as A2aState]),
);

/**
 * A2A 1.0: ProtoJSON. A frame is an object with one key, enums are upper case, and updates have no
 * `final`. Default values (an empty list, the unspecified state) are not written and may be absent.
 */
export const V1_0: A2aSpelling = {
  version: "1.0",
  extensionsHeader: "A2A-Extensions",
  continuesEndedTasks: false,
  encodeMessage,
  decodeMessage,
  encodeTask,
  decodeTask,
  encodeFrame,
  decodeFrame,
  encodePush: encodeFrame,
  encodeState: (state) => SPELLED_STATES[state],
  decodeState,
  push: PUSH_V1_0,
};

function encodeMessage(message: A2aMessage): JsonObject {
  return withoutEmptyLists({
    ...message,
    role: message.role === "user" ? "ROLE_USER" : "ROLE_AGENT",
    parts: message.parts.map(encodePart),
  });
}

function decodeMessage(json: unknown, path: string): A2aMessage {
  const message = readObject(json, path);
  checkDepth(message, path);
  const role = readString(message, "role", path);
  if (role !== "ROLE_USER" && role !== "ROLE_AGENT") {
    failAt(join(path, "role"), "expected ROLE_USER or ROLE_AGENT");
  }
  const parts = findList(message, "parts", path) ?? [];
  return compact({
    messageId: readString(message, "messageId", path),
    role: role === "ROLE_USER" ? ("user" as const) : ("agent" as const),
    parts: parts.map((part, index) => decodePart(part, `${join(path, "parts")}[${index}]`)),
    taskId: findString(message, "taskId", path),
    contextId: findString(message, "contextId", path),
    metadata: findObject(message, "metadata", path),
    extensions: nonEmpty(findStrings(message, "extensions", path)),
    referenceTaskIds: nonEmpty(findStrings(message, "referenceTaskIds", path)),
  });
}

function encodePart(part: Part): JsonObject {
  if (part.type === "file") {
    const { bytes: raw, uri: url, name: filename, mediaType, metadata } = part;
    return compact({ raw, url, filename, mediaType, metadata });
  }
  const { type: _, name, ...json } = part;
  return name === undefined ? json : { ...json, filename: name };
}

function decodePart(json: unknown, path: string): Part {
  const part = readObject(json, path);
  const name = findString(part, "filename", path);
  const mediaType = findString(part, "mediaType", path);
  const metadata = findObject(part, "metadata", path);
  // Null means that a field is not set, except for data, which may be null itself.
  const set = ["text", "data", "raw", "url"].filter(
    (arm) => (part[arm] ?? undefined) !== undefined,
  );
  const arms = set.length === 0 && Object.hasOwn(part, "data") ? ["data"] : set;
  if (arms.length !== 1) failAt(path, "expected one of text, data, raw, url");
  switch (arms[0]) {
    case "text":
      if (typeof part.text !== "string") failAt(join(path, "text"), "expected a string");
      return compact({ type: "text" as const, text: part.text, name, mediaType, metadata });
    case "data":
      return { ...compact({ type: "data" as const, name, mediaType, metadata }), data: part.data };
    default:
      return compact({
        type: "file" as const,
        bytes: findBytes(part, "raw", path),
        uri: arms[0] === "url" ? readString(part, "url", path) : undefined,
        name,
        mediaType,
        metadata,
      });
  }
}

function encodeStatus(status: A2aStatus): JsonObject {
  return compact({
    state: status.state === "unknown" ? undefined : SPELLED_STATES[status.state],
    message: status.message && encodeMessage(status.message),
    timestamp: status.timestamp,
  });
}

function decodeStatus(json: unknown, path: string): A2aStatus {
  const status = readObject(json, path);
  const state = findString(status, "state", path) ?? SPELLED_STATES.unknown;
  return compact({
    state: decodeState(state, join(path, "state")),
    message: (status.message ?? undefined) && decodeMessage(status.message, join(path, "message")),
    timestamp: findString(status, "timestamp", path),
  });
}

function decodeState(spelled: string, path: string): A2aState {
  return STATES.get(spelled) ?? failAt(path, `expected one of ${[...STATES.keys()].join(", ")}`);
}

function encodeTask(task: A2aTask): JsonObject {
  return withoutEmptyLists(
    compact({
      id: task.id,
      contextId: task.contextId,
      status: encodeStatus(task.status),
      history: task.history?.map(encodeMessage),
      artifacts: task.artifacts?.map(encodeArtifact),
      metadata: task.metadata,
    }),
  );
}

function decodeTask(json: unknown, path: string): A2aTask {
  const task = readObject(json, path);
  return compact({
    id: readString(task, "id", path),
    contextId: readString(task, "contextId", path),
    status: decodeStatus(task.status, join(path, "status")),
    history: nonEmpty(
      findList(task, "history", path)?.map((message, index) =>
        decodeMessage(message, `${join(path, "history")}[${index}]`),
      ),
    ),
    artifacts: nonEmpty(
      findList(task, "artifacts", path)?.map((artifact, index) =>
        decodeArtifact(artifact, `${join(path, "artifacts")}[${index}]`, decodePart),
      ),
    ),
    metadata: findObject(task, "metadata", path),
  });
}

function encodeArtifact(artifact: Artifact): JsonObject {
  return withoutEmptyLists({ ...artifact, parts: artifact.parts.map(encodePart) });
}

function encodeFrame(frame: A2aFrame): JsonObject {
  switch (frame.type) {
    case "task":
      return { task: encodeTask(frame.task) };
    case "message":
      return { message: encodeMessage(frame.message) };
    case "status-update": {
      const { taskId, contextId, status, metadata } = frame;
      return {
        statusUpdate: compact({ taskId, contextId, status: encodeStatus(status), metadata }),
      };
    }
    case "artifact-update": {
      const { taskId, contextId, artifact, append, lastChunk, metadata } = frame;
      return {
        artifactUpdate: compact({
          taskId,
          contextId,
          artifact: encodeArtifact(artifact),
          append,
          lastChunk,
          metadata,
        }),
      };
    }
  }
}

function decodeFrame(json: unknown, path: string): A2aFrame {
  const frame = readObject(json, path);
  if (isObject(frame.task)) {
    return { type: "task", task: decodeTask(frame.task, join(path, "task")) };
  }
  if (isObject(frame.message)) {
    return { type: "message", message: decodeMessage(frame.message, join(path, "message")) };
  }
  if (isObject(frame.statusUpdate))
    return decodeStatusUpdate(frame.statusUpdate, join(path, "statusUpdate"));
  if (isObject(frame.artifactUpdate)) {
    return decodeArtifactUpdate(frame.artifactUpdate, join(path, "artifactUpdate"), decodePart);
  }
  return failAt(path, "expected one of task, message, statusUpdate, artifactUpdate");
}

function decodeStatusUpdate(update: JsonObject, path: string): A2aFrame {
  return compact({
    type: "status-update" as const,
    taskId: readString(update, "taskId", path),
    contextId: readString(update, "contextId", path),
    status: decodeStatus(update.status, join(path, "status")),
    isFinal: false,
    metadata: findObject(update, "metadata", path),
  });
}

function withoutEmptyLists(json: JsonObject): JsonObject {
  if (!Object.values(json).some(isEmptyList)) return json;
  return Object.fromEntries(Object.entries(json).filter(([, value]) => !isEmptyList(value)));
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

// Returns undefined for an empty list, because an absent list and an empty list are the same in
// ProtoJSON.
function nonEmpty<TItem>(values: readonly TItem[] | undefined): readonly TItem[] | undefined {
  return values?.length === 0 ? undefined : values;
}
