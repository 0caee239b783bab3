import { failAt, isObject, type JsonObject } from "../../validation/message-json.js";
import type { A2aMessage, A2aSpelling, A2aVersion } from "./a2a.js";
import { fromProtoNames, fromProtoSendParams } from "./proto-json.js";
import type { A2aPushConfig } from "./push/push-config.js";
import {
  compact,
  findBoolean,
  findCount,
  findObject,
  readObject,
  readString,
} from "./read-json.js";

/** An operation that clients request of an agent. Its method name depends on the version of A2A. */
export type Operation =
  | "send"
  | "stream"
  | "get"
  | "list"
  | "cancel"
  | "subscribe"
  | "set-push-config"
  | "get-push-config"
  | "list-push-configs"
  | "delete-push-config"
  | "extended-card"
  | "list-commands"
  | "execute-command"
  | "follow-session"
  | "share-session"
  | "unshare-session"
  | "session-access"
  | "join-session"
  | "list-granted"
  | "end-client";

/** Methods for sharing a session. They have the same names in every version. */
const SHARING = {
  "share-session": "session/share",
  "unshare-session": "session/unshare",
  "session-access": "session/access",
  "join-session": "session/join",
  "list-granted": "session/shared",
} as const;

/**
 * Method name of each operation in each version. The RFC defines the methods for commands (RFC
 * 3.3), and our session extension defines `session/…` and `client/end`.
 */
export const METHOD_NAMES: Readonly<Record<A2aVersion, Readonly<Record<Operation, string>>>> = {
  "0.3": {
    send: "message/send",
    stream: "message/stream",
    get: "tasks/get",
    list: "tasks/list",
    cancel: "tasks/cancel",
    subscribe: "tasks/resubscribe",
    "set-push-config": "tasks/pushNotificationConfig/set",
    "get-push-config": "tasks/pushNotificationConfig/get",
    "list-push-configs": "tasks/pushNotificationConfig/list",
    "delete-push-config": "tasks/pushNotificationConfig/delete",
    "extended-card": "agent/getAuthenticatedExtendedCard",
    "list-commands": "commands/get",
    "execute-command": "command/execute",
    "follow-session": "session/subscribe",
    ...SHARING,
    "end-client": "client/end",
  },
  "1.0": {
    send: "SendMessage",
    stream: "SendStreamingMessage",
    get: "GetTask",
    list: "ListTasks",
    cancel: "CancelTask",
    subscribe: "SubscribeToTask",
    "set-push-config": "CreateTaskPushNotificationConfig",
    "get-push-config": "GetTaskPushNotificationConfig",
    "list-push-configs": "ListTaskPushNotificationConfigs",
    "delete-push-config": "DeleteTaskPushNotificationConfig",
    "extended-card": "GetExtendedAgentCard",
    "list-commands": "commands/get",
    "execute-command": "command/execute",
    "follow-session": "session/subscribe",
    ...SHARING,
    "end-client": "client/end",
  },
};

/**
 * Finds the operation of a method name in a version. Without a version, the name is looked up in A2A 0.3
 * first, and then in A2A 1.0.
 */
export function findOperation(
  method: string,
  version: A2aVersion | undefined,
): { readonly version: A2aVersion; readonly operation: Operation } | undefined {
  const versions: readonly A2aVersion[] = version === undefined ? ["0.3", "1.0"] : [version];
  for (const candidate of versions) {
    const names = Object.entries(METHOD_NAMES[candidate]);
    const found = names.find(([, name]) => name === method);
    if (found !== undefined) return { version: candidate, operation: found[0] as Operation };
  }
  return undefined;
}

/** Parameters of `send` and `stream`. */
export interface SendParams {
  readonly message: A2aMessage;
  /** True if `send` replies at once and does not wait for the end of the turn. */
  readonly returnsImmediately: boolean;
  readonly historyLength?: number;
  /** Push config for the task of this message. */
  readonly pushConfig?: A2aPushConfig;
}

/** Decodes the parameters of `send` and `stream`. */
export function decodeSendParams(params: unknown, spelling: A2aSpelling): SendParams {
  const isV1 = spelling.version === "1.0";
  const json = readObject(isV1 ? fromProtoSendParams(params) : params, "params");
  if ((json.message ?? undefined) === undefined) failAt("message", "required");
  const configuration = findObject(json, "configuration", "") ?? {};
  const { configurationKey, decodeConfig } = spelling.push;
  const pushConfig = configuration[configurationKey] ?? undefined;
  return compact({
    message: spelling.decodeMessage(json.message, "message"),
    returnsImmediately: isV1
      ? (findBoolean(configuration, "returnImmediately", "configuration") ?? false)
      : findBoolean(configuration, "blocking", "configuration") === false,
    historyLength: findCount(configuration, "historyLength", "configuration"),
    pushConfig:
      pushConfig === undefined
        ? undefined
        : decodeConfig(pushConfig, `configuration.${configurationKey}`),
  });
}

/** Parameters of the operations `get`, `cancel` and `subscribe`. */
export interface TaskParams {
  readonly taskId: string;
  readonly historyLength?: number;
}

/** Decodes the parameters of `get`, `cancel` and `subscribe`. */
export function decodeTaskParams(params: unknown): TaskParams {
  const json = readObject(fromProtoNames(params), "params");
  return compact({
    taskId: readString(json, "id", ""),
    historyLength: findCount(json, "historyLength", ""),
  });
}

/** Parameters of `follow-session`. */
export interface FollowParams {
  readonly contextId: string;
  /**
   * True if the stream ends once all events are sent and no task of the session runs, asks a question or
   * waits for its turn.
   */
  readonly untilIdle: boolean;
}

/** Decodes the parameters of `follow-session`. */
export function decodeFollowParams(params: unknown): FollowParams {
  const json = readObject(params, "params");
  return {
    contextId: readString(json, "context_id", ""),
    untilIdle: findBoolean(json, "until_rest", "") ?? false,
  };
}

/** Inverse of {@link decodeFollowParams}. */
export function encodeFollowParams({ contextId, untilIdle }: FollowParams): JsonObject {
  return { context_id: contextId, ...(untilIdle && { until_rest: true }) };
}

/** Decodes the parameters of `session-access`. */
export function decodeAccessParams(params: unknown): { readonly contextId: string } {
  return { contextId: readString(readObject(params, "params"), "context_id", "") };
}

/** The last frame of a stream with `untilIdle`. A stream without this frame was interrupted. */
export const SESSION_IDLE = { kind: "session-rest" } as const;

/** Returns true if a frame is {@link SESSION_IDLE}. */
export function isSessionIdle(frame: unknown): boolean {
  return isObject(frame) && frame.kind === SESSION_IDLE.kind;
}
