// The bindings and dialects over which the tests of roles send each request.
import { randomUUID } from "node:crypto";
import { LegacyA2AService } from "@a2a-js/sdk/compat/v0_3/server/grpc";
import { DEVELOPMENT_TOOL_URI } from "@dt/schema";
import type { Right } from "@dt/server";
import {
  type Binding,
  bindingOf,
  isForbiddenOverGrpc,
  overGrpc,
  overNotes,
  overReference,
  overRest,
  overRoutes,
  overRpc,
  overSocket,
  paramsOf,
  type RoleStage,
} from "./role-requests.js";

const PUSH = "pushNotificationConfigs";
const PUSH_CONFIG = { id: "p", url: "https://example.com/push" };

/** Builds a message in the JSON of A2A 0.3's proto, whose parts are called `content`. */
function messageOfProto(right: Right, stage: RoleStage) {
  const { message } = paramsOf(right, "0.3", stage) as {
    message: { messageId: string; taskId?: string; contextId?: string; metadata?: object };
  };
  const { messageId, taskId, contextId, metadata } = message;
  const data = { tool_call_id: stage.callId, selected_option_id: "cancel" };
  const content = right === "answer" ? [{ data: { data } }] : [{ text: "hi" }];
  const ids = { ...(taskId && { taskId }), ...(contextId && { contextId }) };
  return {
    message: { role: "ROLE_USER", messageId, content, ...ids, ...(metadata && { metadata }) },
    configuration: { blocking: false },
  };
}

const message = (right: Right) => (stage: RoleStage) => ({
  path: "v0.3/v1/message:send",
  body: messageOfProto(right, stage),
});
const task = (stage: RoleStage, suffix = "") => `v0.3/v1/tasks/${stage.taskId}${suffix}`;

const overRest03 = overRoutes({
  send: message("send"),
  answer: message("answer"),
  "auto-execute": message("auto-execute"),
  stream: (stage) => ({ path: "v0.3/v1/message:stream", body: messageOfProto("stream", stage) }),
  get: (stage) => ({ path: task(stage) }),
  list: () => ({ path: "v0.3/v1/tasks" }),
  subscribe: (stage) => ({ path: task(stage, ":subscribe") }),
  cancel: (stage) => ({ path: task(stage, ":cancel"), method: "POST" }),
  "set-push-config": (stage) => ({
    path: task(stage, `/${PUSH}`),
    body: { config: { pushNotificationConfig: PUSH_CONFIG } },
  }),
  "get-push-config": (stage) => ({ path: task(stage, `/${PUSH}/p`) }),
  "list-push-configs": (stage) => ({ path: task(stage, `/${PUSH}`) }),
  "delete-push-config": (stage) => ({ path: task(stage, `/${PUSH}/p`), method: "DELETE" }),
  "extended-card": () => ({ path: "v0.3/v1/card" }),
  "session-access": ({ contextId }) => ({ path: `v0.3/v1/sessions/${contextId}/access` }),
  "list-granted": () => ({ path: "v0.3/v1/sessions:shared" }),
  "join-session": () => ({ path: "v0.3/v1/sessions:join", body: { link: "dtl_" } }),
  "share-session": ({ contextId }) => ({
    path: `v0.3/v1/sessions/${contextId}/grants`,
    body: { user: "guest", role: "observe" },
  }),
  "unshare-session": ({ contextId }) => ({
    path: `v0.3/v1/sessions/${contextId}/grants/none`,
    method: "DELETE",
  }),
});

/** Encodes a message for the service of A2A 0.3. */
function sendOverGrpc03(right: Right, { contextId, taskId, callId, workspacePath }: RoleStage) {
  const data = { tool_call_id: callId, selected_option_id: "cancel" };
  const part =
    right === "answer"
      ? { $case: "data" as const, value: { data } }
      : { $case: "text" as const, value: "hi" };
  const settings = {
    workspace_path: workspacePath,
    ...(right === "auto-execute" && { auto_execute: true }),
  };
  const isAnswer = right === "answer";
  return LegacyA2AService.sendMessage.requestSerialize({
    request: {
      messageId: randomUUID(),
      contextId: isAnswer ? "" : contextId,
      taskId: isAnswer ? taskId : "",
      role: 1,
      content: [{ part }],
      metadata: isAnswer ? undefined : { [DEVELOPMENT_TOOL_URI]: settings },
      extensions: [],
    },
    configuration: {
      acceptedOutputModes: [],
      pushNotification: undefined,
      historyLength: 0,
      blocking: false,
    },
    metadata: undefined,
  });
}

/** For each right, a method of A2A 0.3's service, and its request. */
const GRPC_0_3: Readonly<
  Partial<Record<Right, (stage: RoleStage) => readonly [keyof typeof LegacyA2AService, Uint8Array]>>
> = {
  send: (stage) => ["sendMessage", sendOverGrpc03("send", stage)],
  answer: (stage) => ["sendMessage", sendOverGrpc03("answer", stage)],
  "auto-execute": (stage) => ["sendMessage", sendOverGrpc03("auto-execute", stage)],
  stream: (stage) => ["sendStreamingMessage", sendOverGrpc03("stream", stage)],
  get: ({ taskId }) => [
    "getTask",
    LegacyA2AService.getTask.requestSerialize({ name: `tasks/${taskId}`, historyLength: 0 }),
  ],
  cancel: ({ taskId }) => [
    "cancelTask",
    LegacyA2AService.cancelTask.requestSerialize({ name: `tasks/${taskId}` }),
  ],
  subscribe: ({ taskId }) => [
    "taskSubscription",
    LegacyA2AService.taskSubscription.requestSerialize({ name: `tasks/${taskId}` }),
  ],
  "set-push-config": ({ taskId }) => [
    "createTaskPushNotificationConfig",
    LegacyA2AService.createTaskPushNotificationConfig.requestSerialize({
      parent: `tasks/${taskId}`,
      configId: "p",
      config: {
        name: `tasks/${taskId}/${PUSH}/p`,
        pushNotificationConfig: { ...PUSH_CONFIG, token: "", authentication: undefined },
      },
    }),
  ],
  "get-push-config": ({ taskId }) => [
    "getTaskPushNotificationConfig",
    LegacyA2AService.getTaskPushNotificationConfig.requestSerialize({
      name: `tasks/${taskId}/${PUSH}/p`,
    }),
  ],
  "list-push-configs": ({ taskId }) => [
    "listTaskPushNotificationConfig",
    LegacyA2AService.listTaskPushNotificationConfig.requestSerialize({
      parent: `tasks/${taskId}`,
      pageSize: 0,
      pageToken: "",
    }),
  ],
  "delete-push-config": ({ taskId }) => [
    "deleteTaskPushNotificationConfig",
    LegacyA2AService.deleteTaskPushNotificationConfig.requestSerialize({
      name: `tasks/${taskId}/${PUSH}/p`,
    }),
  ],
};

const overGrpc03: Binding = bindingOf(
  Object.keys(GRPC_0_3) as Right[],
  (right) => async (stage, token) => {
    const [name, bytes] = GRPC_0_3[right]?.(stage) ?? [];
    if (name === undefined || bytes === undefined) throw new Error(`${right} has no method`);
    const request = { path: LegacyA2AService[name].path, bytes: Buffer.from(bytes) };
    return await isForbiddenOverGrpc(stage, token, request);
  },
);

/** Builds a message of gemini-cli's dialect to the task of the stage. */
function geminiMessage(
  { taskId, contextId, workspacePath }: RoleStage,
  { part, settings = {} }: { part: object; settings?: object },
) {
  return {
    message: {
      kind: "message",
      role: "user",
      messageId: randomUUID(),
      parts: [part],
      taskId,
      contextId,
      metadata: { coderAgent: { kind: "agent-settings", workspacePath, ...settings } },
    },
    configuration: { blocking: false },
  };
}

const HI = { kind: "text", text: "hi" };
// A client that activates the RFC's extension does not speak gemini-cli's dialect.
const geminiRpc = (method: string, params: object) => ({
  path: "",
  headers: { "A2A-Extensions": "" },
  body: { jsonrpc: "2.0", id: 1, method, params },
});

const overGemini = overRoutes({
  send: (stage) => geminiRpc("message/send", geminiMessage(stage, { part: HI })),
  stream: (stage) => geminiRpc("message/stream", geminiMessage(stage, { part: HI })),
  "auto-execute": (stage) => {
    const settings = { autoExecute: true };
    return geminiRpc("message/send", geminiMessage(stage, { part: HI, settings }));
  },
  answer: (stage) => {
    const part = { kind: "data", data: { callId: stage.callId, outcome: "cancel" } };
    return geminiRpc("message/send", geminiMessage(stage, { part }));
  },
  "create-task": ({ contextId, workspacePath }) => ({
    path: "tasks",
    body: { contextId, agentSettings: { kind: "agent-settings", workspacePath } },
  }),
  "execute-command": ({ contextId }) => ({
    path: "executeCommand",
    headers: { Accept: "text/event-stream" },
    body: { command: "help", contextId },
  }),
});

/** The bindings and dialects of dt-server that the tests of roles cover, by name. */
export const ROLE_BINDINGS: Readonly<Record<string, Binding>> = {
  "JSON-RPC of A2A 0.3": overRpc("0.3"),
  "JSON-RPC of A2A 1.0": overRpc("1.0"),
  WebSocket: overSocket,
  "REST of A2A 1.0": overRest,
  "REST of A2A 0.3": overRest03,
  "gRPC of A2A 1.0": overGrpc,
  "gRPC of A2A 0.3": overGrpc03,
  "the server reference": overReference,
  "the protocol notes": overNotes,
  "gemini-cli's dialect": overGemini,
};

/** Builds a message of the guide of the live endpoint. */
const guideMessage = (content: object) => ({ message: { messageId: randomUUID(), content } });

/** The routes of the guide, which only a live endpoint has. */
export const GUIDE_BINDING: Binding = overRoutes({
  "create-task": () => ({ path: "tasks", body: {} }),
  send: ({ taskId }) => ({
    path: `tasks/${taskId}/messages`,
    body: guideMessage({ text: "/help" }),
  }),
  stream: ({ taskId }) => ({
    path: `tasks/${taskId}/messages/stream`,
    body: guideMessage({ text: "/help" }),
  }),
  answer: ({ taskId, callId }) => ({
    path: `tasks/${taskId}/messages`,
    body: guideMessage({ data: { tool_call_id: callId, selected_option_id: "cancel" } }),
  }),
});
