import type { JsonObject } from "../../../validation/message-json.js";
import type { Operation } from "../operations.js";
import { fromProtoList, fromProtoSend, fromProtoTaskConfig } from "./decode-proto.js";
import { toProtoFrame, toProtoTask, toProtoTaskConfig } from "./encode-proto.js";

/**
 * Functions that convert between the ProtoJSON of A2A 0.3 and the JSON of its JSON-RPC binding, so that one
 * dispatcher serves all bindings. REST and gRPC use ProtoJSON. JSON-RPC has other JSON: a message has
 * `parts` instead of `content`, and enums are lower case.
 */
export const PROTO_V0_3 = {
  /** Converts the parameters of `send` and `stream`. */
  fromSend: fromProtoSend,
  /** Converts the parameters of `list`. */
  fromList: fromProtoList,
  /** Converts the body that sets a push config of a task. */
  fromTaskConfig: fromProtoTaskConfig,
  toFrame: toProtoFrame,
  /** Converts the result of an operation. */
  toResult(operation: Operation, result: unknown): unknown {
    return TO_RESULT[operation]?.(result) ?? {};
  },
} as const;

const toTaskResult = (task: unknown) => toProtoTask(task as JsonObject);
const toConfigResult = (config: unknown) => toProtoTaskConfig(config as JsonObject);

const asItIs = (result: unknown) => result as JsonObject;

const TO_RESULT: Readonly<Partial<Record<Operation, (result: unknown) => JsonObject>>> = {
  send: (result) => toProtoFrame(result as JsonObject),
  get: toTaskResult,
  cancel: toTaskResult,
  list(page) {
    const { tasks, ...fields } = page as JsonObject & { readonly tasks: readonly JsonObject[] };
    return { tasks: tasks.map(toProtoTask), ...fields };
  },
  "extended-card": asItIs,
  // Our session extension has the same JSON in every version.
  "share-session": asItIs,
  "unshare-session": asItIs,
  "session-access": asItIs,
  "join-session": asItIs,
  "list-granted": asItIs,
  "set-push-config": toConfigResult,
  "get-push-config": toConfigResult,
  "list-push-configs": (configs) => ({
    configs: (configs as readonly JsonObject[]).map(toProtoTaskConfig),
  }),
};
