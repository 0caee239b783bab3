import { isObject, type JsonObject } from "../../validation/message-json.js";

/** Names of A2A 1.0's enums by number, as in the proto. */
const ROLES = ["ROLE_UNSPECIFIED", "ROLE_USER", "ROLE_AGENT"];
const TASK_STATES = [
  "TASK_STATE_UNSPECIFIED",
  "TASK_STATE_SUBMITTED",
  "TASK_STATE_WORKING",
  "TASK_STATE_COMPLETED",
  "TASK_STATE_FAILED",
  "TASK_STATE_CANCELED",
  "TASK_STATE_INPUT_REQUIRED",
  "TASK_STATE_REJECTED",
  "TASK_STATE_AUTH_REQUIRED",
];

// A decoder of ProtoJSON must also accept the proto's own names (`page_size`) and the numbers of enums. These
// functions convert both to the names that we write. They run once for each request, on a server
// only. Fields that clients fill freely (metadata, data) are left as they are.

/** Converts the names of the fields of one message. Returns a value that is not an object unchanged. */
export function fromProtoNames(json: unknown): unknown {
  if (!isObject(json) || !Object.keys(json).some(isProtoName)) return json;
  const { ...result }: Record<string, unknown> = json;
  for (const key of Object.keys(json).filter(isProtoName)) {
    const name = key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    // If both names are given, the proto's name is not converted, and is an unknown field.
    if (Object.hasOwn(json, name)) continue;
    result[name] = json[key];
    delete result[key];
  }
  return result;
}

/** Converts the parameters of `send` and `stream`. */
export function fromProtoSendParams(params: unknown): unknown {
  const json = fromProtoNames(params);
  if (!isObject(json)) return json;
  const { message, configuration } = json;
  return {
    ...json,
    ...(message !== undefined && { message: fromProtoMessage(message) }),
    ...(configuration !== undefined && { configuration: fromProtoConfiguration(configuration) }),
  };
}

/** Converts a state that is a number, or a number as text in a URL, to the name of the state. */
export function fromProtoState(state: unknown): unknown {
  return (/^\d$/.test(String(state)) && TASK_STATES[Number(state)]) || state;
}

function fromProtoMessage(message: unknown): unknown {
  const json = fromProtoNames(message);
  if (!isObject(json)) return json;
  const { role, parts } = json;
  return {
    ...json,
    ...(typeof role === "number" && { role: ROLES[role] ?? role }),
    ...(Array.isArray(parts) && { parts: parts.map(fromProtoNames) }),
  };
}

function fromProtoConfiguration(configuration: unknown): unknown {
  const json = fromProtoNames(configuration);
  if (!isObject(json) || json.taskPushNotificationConfig === undefined) return json;
  const config = fromProtoNames(json.taskPushNotificationConfig);
  return { ...json, taskPushNotificationConfig: config } satisfies JsonObject;
}

function isProtoName(key: string): boolean {
  return /^[a-z]+(_[a-z]+)+$/.test(key);
}
