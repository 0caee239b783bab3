import { isObject, type JsonObject } from "../../../validation/message-json.js";
import { compact } from "../read-json.js";

// These functions convert the JSON of A2A 0.3 to ProtoJSON. They check nothing, because our own
// encoder wrote the JSON. Default values (an empty list, the unspecified state, false) are omitted.

/** Converts a frame of a stream, or the result of `send`. */
export function toProtoFrame(frame: JsonObject): JsonObject {
  const { kind, ...fields } = frame;
  switch (kind) {
    case "task":
      return { task: toProtoTask(fields) };
    case "message":
      return { message: toProtoMessage(fields) };
    case "status-update":
      return {
        statusUpdate: compact({
          ...fields,
          status: toProtoStatus(fields.status),
          final: fields.final === true ? true : undefined,
        }),
      };
    case "artifact-update":
      return {
        artifactUpdate: compact({
          ...fields,
          artifact: toProtoArtifact(fields.artifact),
          append: fields.append === true ? true : undefined,
          lastChunk: fields.lastChunk === true ? true : undefined,
        }),
      };
    default:
      return frame;
  }
}

/** Converts a task. */
export function toProtoTask(task: JsonObject): JsonObject {
  const { kind: _, status, history, artifacts, ...fields } = task;
  return compact({
    ...fields,
    status: toProtoStatus(status),
    artifacts: toList(artifacts, toProtoArtifact),
    history: toList(history, toProtoMessage),
  });
}

/** Converts a push config of a task. The name of the config contains the ids of task and config. */
export function toProtoTaskConfig(taskConfig: JsonObject): JsonObject {
  const { taskId, pushNotificationConfig } = taskConfig;
  const { id = "" } = pushNotificationConfig as JsonObject;
  return { name: `tasks/${taskId}/pushNotificationConfigs/${id}`, pushNotificationConfig };
}

function toProtoStatus(json: unknown): JsonObject {
  const { state, message, timestamp } = json as JsonObject;
  return compact({
    state: toProtoState(String(state)),
    message: isObject(message) ? toProtoMessage(message) : undefined,
    timestamp,
  });
}

// The proto of A2A 0.3 writes CANCELLED with two l. The proto of A2A 1.0 writes CANCELED.
function toProtoState(state: string): string | undefined {
  if (state === "unknown") return undefined;
  if (state === "canceled") return "TASK_STATE_CANCELLED";
  return `TASK_STATE_${state.toUpperCase().replaceAll("-", "_")}`;
}

// Leaves out `referenceTaskIds`: the proto has no such field, and strict decoders refuse unknown fields.
function toProtoMessage(json: unknown): JsonObject {
  const { messageId, contextId, taskId, role, parts, metadata, extensions } = json as JsonObject;
  return compact({
    messageId,
    contextId,
    taskId,
    role: role === "user" ? "ROLE_USER" : "ROLE_AGENT",
    content: toList(parts, toProtoPart),
    metadata,
    extensions: toList(extensions),
  });
}

function toProtoArtifact(json: unknown): JsonObject {
  const { parts, extensions, ...fields } = json as JsonObject;
  return compact({
    ...fields,
    parts: toList(parts, toProtoPart),
    extensions: toList(extensions),
  });
}

function toProtoPart(json: unknown): JsonObject {
  const { kind, text, data, file, metadata } = json as JsonObject;
  switch (kind) {
    case "text":
      return compact({ text, metadata });
    case "data":
      return compact({ data: { data }, metadata });
    default:
      return compact({ file: toProtoFile(file), metadata });
  }
}

function toProtoFile(json: unknown): JsonObject {
  const { bytes, uri, mimeType, name } = json as JsonObject;
  return compact({ fileWithBytes: bytes, fileWithUri: uri, mimeType, name });
}

function toList(
  json: unknown,
  convert: (item: unknown) => unknown = (item) => item,
): readonly unknown[] | undefined {
  return Array.isArray(json) && json.length > 0 ? json.map(convert) : undefined;
}
