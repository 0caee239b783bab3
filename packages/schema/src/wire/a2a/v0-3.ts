import type { Artifact, Part } from "../../event/part.js";
import { checkDepth, failAt, type JsonObject } from "../../validation/message-json.js";
import type {
  A2aFrame,
  A2aMessage,
  A2aPushFrame,
  A2aSpelling,
  A2aState,
  A2aStatus,
  A2aTask,
} from "./a2a.js";
import { decodeArtifact, decodeArtifactUpdate } from "./decode-artifact.js";
import { PUSH_V0_3 } from "./push/push-v0-3.js";
import {
  compact,
  findBoolean,
  findBytes,
  findList,
  findObject,
  findString,
  findStrings,
  join,
  readObject,
  readString,
} from "./read-json.js";

const STATES: readonly A2aState[] = [
  "submitted",
  "working",
  "input-required",
  "completed",
  "failed",
  "canceled",
  "rejected",
  "auth-required",
  "unknown",
];

/** A2A 0.3: objects have a `kind`, states are lower case, and `final` is true in the last update. */
export const V0_3: A2aSpelling = {
  version: "0.3",
  extensionsHeader: "X-A2A-Extensions",
  continuesEndedTasks: true,
  encodeMessage,
  decodeMessage,
  encodeTask,
  decodeTask,
  encodeFrame,
  decodeFrame,
  encodePush,
  encodeState: (state) => state,
  decodeState,
  push: PUSH_V0_3,
};

function encodeMessage(message: A2aMessage): JsonObject {
  return { kind: "message", ...message, parts: message.parts.map(encodePart) };
}

function decodeMessage(json: unknown, path: string): A2aMessage {
  const message = readObject(json, path);
  checkDepth(message, path);
  const parts = findList(message, "parts", path) ?? failAt(join(path, "parts"), "required");
  return compact({
    messageId: readString(message, "messageId", path),
    role: readRole(message, path),
    parts: parts.map((part, index) => decodePart(part, `${join(path, "parts")}[${index}]`)),
    taskId: findString(message, "taskId", path),
    contextId: findString(message, "contextId", path),
    metadata: findObject(message, "metadata", path),
    extensions: findStrings(message, "extensions", path),
    referenceTaskIds: findStrings(message, "referenceTaskIds", path),
  });
}

function readRole(message: JsonObject, path: string): A2aMessage["role"] {
  const role = readString(message, "role", path);
  if (role === "user" || role === "agent") return role;
  return failAt(join(path, "role"), "expected user or agent");
}

function encodePart(part: Part): JsonObject {
  switch (part.type) {
    case "text":
    case "data": {
      const { type: kind, name: _, mediaType: __, ...rest } = part;
      return { kind, ...rest };
    }
    case "file": {
      const { bytes, uri, name, mediaType: mimeType, metadata } = part;
      return compact({ kind: "file", file: compact({ bytes, uri, name, mimeType }), metadata });
    }
  }
}

function decodePart(json: unknown, path: string): Part {
  const part = readObject(json, path);
  const metadata = findObject(part, "metadata", path);
  switch (part.kind) {
    case "text":
      if (typeof part.text !== "string") failAt(join(path, "text"), "expected a string");
      return compact({ type: "text" as const, text: part.text, metadata });
    case "data":
      return compact({
        type: "data" as const,
        data: readObject(part.data, join(path, "data")),
        metadata,
      });
    case "file": {
      const file = readObject(part.file, join(path, "file"));
      const filePath = join(path, "file");
      const bytes = findBytes(file, "bytes", filePath);
      const uri = findString(file, "uri", filePath);
      if ((bytes === undefined) === (uri === undefined))
        failAt(filePath, "expected either bytes or a uri");
      const name = findString(file, "name", filePath);
      const mediaType = findString(file, "mimeType", filePath);
      return compact({ type: "file" as const, bytes, uri, name, mediaType, metadata });
    }
    default:
      return failAt(join(path, "kind"), "expected text, data or file");
  }
}

function encodeStatus(status: A2aStatus): JsonObject {
  return compact({
    state: status.state,
    message: status.message && encodeMessage(status.message),
    timestamp: status.timestamp,
  });
}

function decodeStatus(json: unknown, path: string): A2aStatus {
  const status = readObject(json, path);
  return compact({
    state: decodeState(readString(status, "state", path), join(path, "state")),
    message: (status.message ?? undefined) && decodeMessage(status.message, join(path, "message")),
    timestamp: findString(status, "timestamp", path),
  });
}

function decodeState(spelled: string, path: string): A2aState {
  const known = STATES.find((state) => state === spelled);
  return known ?? failAt(path, `expected one of ${STATES.join(", ")}`);
}

function encodeTask(task: A2aTask): JsonObject {
  return compact({
    kind: "task",
    id: task.id,
    contextId: task.contextId,
    status: encodeStatus(task.status),
    history: task.history?.map(encodeMessage),
    artifacts: task.artifacts?.map(encodeArtifact),
    metadata: task.metadata,
  });
}

function decodeTask(json: unknown, path: string): A2aTask {
  const task = readObject(json, path);
  return compact({
    id: readString(task, "id", path),
    contextId: readString(task, "contextId", path),
    status: decodeStatus(task.status, join(path, "status")),
    history: findList(task, "history", path)?.map((message, index) =>
      decodeMessage(message, `${join(path, "history")}[${index}]`),
    ),
    artifacts: findList(task, "artifacts", path)?.map((artifact, index) =>
      decodeArtifact(artifact, `${join(path, "artifacts")}[${index}]`, decodePart),
    ),
    metadata: findObject(task, "metadata", path),
  });
}

function encodeArtifact(artifact: Artifact): JsonObject {
  return { ...artifact, parts: artifact.parts.map(encodePart) };
}

function encodeFrame(frame: A2aFrame): JsonObject {
  switch (frame.type) {
    case "task":
      return encodeTask(frame.task);
    case "message":
      return encodeMessage(frame.message);
    case "status-update":
      return compact({
        kind: "status-update",
        taskId: frame.taskId,
        contextId: frame.contextId,
        status: encodeStatus(frame.status),
        final: frame.isFinal,
        metadata: frame.metadata,
      });
    case "artifact-update":
      return compact({
        kind: "artifact-update",
        taskId: frame.taskId,
        contextId: frame.contextId,
        artifact: encodeArtifact(frame.artifact),
        append: frame.append,
        lastChunk: frame.lastChunk,
        metadata: frame.metadata,
      });
  }
}

function decodeFrame(json: unknown, path: string): A2aFrame {
  const frame = readObject(json, path);
  switch (frame.kind) {
    case "task":
      return { type: "task", task: decodeTask(frame, path) };
    case "message":
      return { type: "message", message: decodeMessage(frame, path) };
    case "status-update":
      return compact({
        type: "status-update" as const,
        taskId: readString(frame, "taskId", path),
        contextId: readString(frame, "contextId", path),
        status: decodeStatus(frame.status, join(path, "status")),
        isFinal: findBoolean(frame, "final", path) ?? false,
        metadata: findObject(frame, "metadata", path),
      });
    case "artifact-update":
      return decodeArtifactUpdate(frame, path, decodePart);
    default:
      return failAt(join(path, "kind"), "expected task, message, status-update or artifact-update");
  }
}

// Encodes a change of status as a task with that status. The history is left out, because a receiver can
// request the whole task.
function encodePush(frame: A2aPushFrame): JsonObject {
  if (frame.type === "task") return encodeTask(frame.task);
  const { taskId: id, contextId, status, metadata } = frame;
  return encodeTask(compact({ id, contextId, status, metadata }));
}
