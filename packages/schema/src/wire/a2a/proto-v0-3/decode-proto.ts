import { failAt, type JsonObject } from "../../../validation/message-json.js";
import { fromProtoNames } from "../proto-json.js";
import {
  compact,
  findBoolean,
  findBytes,
  findCount,
  findList,
  findObject,
  findString,
  join,
  readObject,
} from "../read-json.js";

const ROLES: Readonly<Record<string, string>> = {
  ROLE_USER: "user",
  ROLE_AGENT: "agent",
  // ProtoJSON also allows the numbers of enums.
  1: "user",
  2: "agent",
};

/** Converts the parameters of `send` and `stream` from ProtoJSON to the JSON of A2A 0.3. */
export function fromProtoSend(params: unknown): JsonObject {
  const json = readObject(fromProtoNames(params), "params");
  // The field is `request` in the proto, but the proto declares `message` as its JSON name.
  const { message = json.request, configuration, metadata } = json;
  if ((message ?? undefined) === undefined) failAt("message", "required");
  return compact({
    message: fromProtoMessage(message, "message"),
    configuration:
      (configuration ?? undefined) && fromProtoConfiguration(configuration, "configuration"),
    metadata,
  });
}

/**
 * Converts the body of a request to set a push config. The body is either a config with its name, or
 * the request of the gRPC method, which contains such a config.
 */
export function fromProtoTaskConfig(body: unknown, taskId: string): JsonObject {
  const request = readObject(fromProtoNames(body), "params");
  const named = readObject(fromProtoNames(request.config ?? request), "config");
  const config = readObject(named.pushNotificationConfig, "pushNotificationConfig");
  const id = findString(config, "id", "pushNotificationConfig");
  const configId = id ?? findString(request, "configId", "");
  return { taskId, pushNotificationConfig: compact({ ...config, id: configId }) };
}

/** Converts a state in the filter of `list` from its name in the proto. `list` checks all other values. */
export function fromProtoList(params: JsonObject): JsonObject {
  const { status } = params;
  const [, name] = /^TASK_STATE_(\w+)$/.exec(String(status)) ?? [];
  if (name === undefined) return params;
  const state = name === "CANCELLED" ? "canceled" : name.toLowerCase().replaceAll("_", "-");
  return { ...params, status: state };
}

function fromProtoMessage(json: unknown, path: string): JsonObject {
  const { content, role, extensions, ...fields } = readObject(fromProtoNames(json), path);
  const parts = findList({ content }, "content", path) ?? failAt(join(path, "content"), "required");
  // In protobuf, an absent list and an empty one are the same.
  const isEmpty = Array.isArray(extensions) && extensions.length === 0;
  return compact({
    ...fields,
    extensions: isEmpty ? undefined : extensions,
    kind: "message",
    role: ROLES[String(role)] ?? failAt(join(path, "role"), "expected ROLE_USER or ROLE_AGENT"),
    parts: parts.map((part, index) => fromProtoPart(part, `${join(path, "content")}[${index}]`)),
  });
}

function fromProtoPart(json: unknown, path: string): JsonObject {
  const part = readObject(fromProtoNames(json), path);
  const metadata = findObject(part, "metadata", path);
  const arms = ["text", "file", "data"].filter((arm) => (part[arm] ?? undefined) !== undefined);
  if (arms.length !== 1) failAt(path, "expected one of text, file, data");
  switch (arms[0]) {
    case "text":
      if (typeof part.text !== "string") failAt(join(path, "text"), "expected a string");
      return compact({ kind: "text", text: part.text, metadata });
    case "data": {
      const dataPath = join(path, "data");
      const data = findObject(readObject(part.data, dataPath), "data", dataPath) ?? {};
      return compact({ kind: "data", data, metadata });
    }
    default:
      return compact({
        kind: "file",
        file: fromProtoFile(part.file, join(path, "file")),
        metadata,
      });
  }
}

function fromProtoFile(json: unknown, path: string): JsonObject {
  const file = readObject(fromProtoNames(json), path);
  const bytes = findBytes(file, "fileWithBytes", path);
  const uri = findString(file, "fileWithUri", path);
  if ((bytes === undefined) === (uri === undefined)) {
    failAt(path, "expected either fileWithBytes or fileWithUri");
  }
  const name = findString(file, "name", path);
  return compact({ bytes, uri, name, mimeType: findString(file, "mimeType", path) });
}

// In protobuf, an absent value and the default are the same. So a call waits for the turn only if
// `blocking` is true, and a history of length 0 is the whole history.
function fromProtoConfiguration(json: unknown, path: string): JsonObject {
  const configuration = readObject(fromProtoNames(json), path);
  return compact({
    acceptedOutputModes: configuration.acceptedOutputModes,
    blocking: findBoolean(configuration, "blocking", path) ?? false,
    historyLength: findCount(configuration, "historyLength", path) || undefined,
    pushNotificationConfig: configuration.pushNotification ?? undefined,
  });
}
