import type { LegacyA2AService } from "@a2a-js/sdk/compat/v0_3/server/grpc";
import type { JsonObject } from "@dt/schema";

// The SDK's codecs of A2A 0.3 expect the messages of its generated code, in which every field is present. The
// functions here convert between these messages and JSON. They check nothing: our own encoder has written the
// JSON of a result, and the JSON of a request is checked later.

type Service = typeof LegacyA2AService;
type Response<TName extends keyof Service> = Parameters<Service[TName]["responseSerialize"]>[0];
/** Request of `send` and `stream`. */
export type SendRequest = ReturnType<Service["sendMessage"]["requestDeserialize"]>;
type Task = Response<"getTask">;
type Frame = Response<"sendStreamingMessage">;
type TaskConfig = Response<"getTaskPushNotificationConfig">;
type Status = NonNullable<Task["status"]>;
type Message = NonNullable<Status["update"]>;
type Part = Message["content"][number];

/** Roles and states by their number in the proto. */
const ROLES = ["unspecified", "user", "agent"];
const STATES = [
  "unknown",
  "submitted",
  "working",
  "completed",
  "failed",
  "canceled",
  "input-required",
  "rejected",
  "auth-required",
];

/** Converts a frame of a stream, or the result of `send`. */
export function toSdkFrame(json: JsonObject): Frame {
  switch (json.kind) {
    case "task":
      return { payload: { $case: "task", value: toSdkTask(json) } };
    case "message":
      return { payload: { $case: "msg", value: toMessage(json) } };
    case "status-update":
      return {
        payload: {
          $case: "statusUpdate",
          value: {
            ...addressOf(json),
            status: toStatus(json.status as JsonObject),
            final: json.final === true,
          },
        },
      };
    default:
      return {
        payload: {
          $case: "artifactUpdate",
          value: {
            ...addressOf(json),
            artifact: toArtifact(json.artifact as JsonObject),
            append: json.append === true,
            lastChunk: json.lastChunk === true,
          },
        },
      };
  }
}

/** Converts a task. */
export function toSdkTask(json: JsonObject): Task {
  return {
    id: toText(json.id),
    contextId: toText(json.contextId),
    status: toStatus(json.status as JsonObject),
    artifacts: listOf(json.artifacts).map(toArtifact),
    history: listOf(json.history).map(toMessage),
    metadata: json.metadata as Task["metadata"],
  };
}

/** Converts a push config in ProtoJSON. */
export function toSdkTaskConfig({ name, pushNotificationConfig }: JsonObject): TaskConfig {
  const { id, url, token, authentication } = pushNotificationConfig as JsonObject;
  const { schemes, credentials } = (authentication ?? {}) as JsonObject;
  return {
    name: toText(name),
    pushNotificationConfig: {
      id: toText(id),
      url: toText(url),
      token: toText(token),
      authentication: authentication
        ? { schemes: (schemes ?? []) as string[], credentials: toText(credentials) }
        : undefined,
    },
  };
}

/** Converts a request of `send` or `stream` to ProtoJSON. */
export function fromSendRequest({ request, configuration, metadata }: SendRequest): JsonObject {
  const message = request && { ...request, content: request.content.map(fromPart) };
  return { message, configuration, metadata };
}

function toStatus({ state, message, timestamp }: JsonObject): Status {
  return {
    state: Math.max(STATES.indexOf(toText(state)), 0),
    update: message === undefined ? undefined : toMessage(message as JsonObject),
    timestamp: timestamp as string | undefined,
  };
}

function toMessage(json: JsonObject): Message {
  return {
    messageId: toText(json.messageId),
    contextId: toText(json.contextId),
    taskId: toText(json.taskId),
    role: ROLES.indexOf(toText(json.role)),
    content: listOf(json.parts).map(toPart),
    metadata: json.metadata as Message["metadata"],
    extensions: (json.extensions ?? []) as string[],
  };
}

function toArtifact(json: JsonObject): Task["artifacts"][number] {
  return {
    artifactId: toText(json.artifactId),
    name: toText(json.name),
    description: toText(json.description),
    parts: listOf(json.parts).map(toPart),
    metadata: json.metadata as Task["metadata"],
    extensions: (json.extensions ?? []) as string[],
  };
}

function toPart({ kind, text, data, file }: JsonObject): Part {
  if (kind === "text") return { part: { $case: "text", value: toText(text) } };
  if (kind === "data") {
    return { part: { $case: "data", value: { data: data as Record<string, unknown> } } };
  }
  const { bytes, uri, mimeType } = file as JsonObject;
  const content =
    bytes === undefined
      ? { $case: "fileWithUri" as const, value: toText(uri) }
      : { $case: "fileWithBytes" as const, value: Buffer.from(toText(bytes), "base64") };
  return { part: { $case: "file", value: { file: content, mimeType: toText(mimeType) } } };
}

function fromPart({ part }: Part): JsonObject {
  if (part === undefined) return {};
  if (part.$case !== "file") return { [part.$case]: part.value };
  const { file, mimeType } = part.value;
  if (file?.$case !== "fileWithBytes") return { file: { fileWithUri: file?.value, mimeType } };
  return { file: { fileWithBytes: file.value.toString("base64"), mimeType } };
}

function addressOf({ taskId, contextId, metadata }: JsonObject) {
  return {
    taskId: toText(taskId),
    contextId: toText(contextId),
    metadata: metadata as Task["metadata"],
  };
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function listOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value : [];
}
