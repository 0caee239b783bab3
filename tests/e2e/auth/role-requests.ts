import { randomUUID } from "node:crypto";
import { on, once } from "node:events";
import * as A2A from "@a2a-js/sdk";
import { A2AService } from "@a2a-js/sdk/server/grpc";
import { DEVELOPMENT_TOOL_URI } from "@dt/schema";
import { type A2aVersion, METHOD_NAMES, type Operation } from "@dt/schema/wire";
import type { Right } from "@dt/server";
import { Client, credentials, Metadata, status } from "@grpc/grpc-js";
import WebSocket from "ws";
import { rpc, sendAs } from "./token-stage.js";

/** The server that gets the requests, and the ids that the requests contain. */
export interface RoleStage {
  readonly url: string;
  readonly wsUrl: string;
  readonly grpcAddress: string;
  readonly workspacePath: string;
  readonly taskId: string;
  readonly contextId: string;
  readonly callId: string;
}

/** Sends a request that needs a right, with a token; resolves with true if the server forbids it. */
export type Attempt = (stage: RoleStage, token: string) => Promise<boolean>;

/** One attempt for each right that requests of a binding or dialect can need. */
export type Binding = Readonly<Partial<Record<Right, Attempt>>>;

export const EXTENSIONS = { "A2A-Extensions": DEVELOPMENT_TOOL_URI };

/** Returns the parameters of a request that needs a right, in one version of A2A. */
export function paramsOf(right: Right, version: A2aVersion, stage: RoleStage): object {
  const { taskId, contextId, callId, workspacePath } = stage;
  const is03 = version === "0.3";
  const message = (part: object, fields: object = {}) => ({
    message: {
      ...(is03 && { kind: "message" }),
      messageId: randomUUID(),
      role: is03 ? "user" : "ROLE_USER",
      parts: [part],
      ...fields,
    },
    // The task of the stage waits for an answer, so a prompt to its session waits too.
    configuration: is03 ? { blocking: false } : { returnImmediately: true },
  });
  const text = is03 ? { kind: "text", text: "hi" } : { text: "hi" };
  const answer = { tool_call_id: callId, selected_option_id: "cancel" };
  const settings = { workspace_path: workspacePath };
  const own = (values: object) => ({ contextId, metadata: { [DEVELOPMENT_TOOL_URI]: values } });
  switch (right) {
    case "send":
    case "stream":
      return message(text, own(settings));
    case "auto-execute":
      return message(text, own({ ...settings, auto_execute: true }));
    case "answer":
      return message(is03 ? { kind: "data", data: answer } : { data: answer }, { taskId });
    case "follow-session":
      return { context_id: contextId, until_idle: false };
    case "session-access":
      return { context_id: contextId };
    case "share-session":
      return { context_id: contextId, user: "guest", role: "observe" };
    case "unshare-session":
      return { context_id: contextId, user: "guest" };
    case "join-session":
      return { link: "dtl_" };
    case "list-granted":
      return {};
    case "execute-command":
      return { command_path: ["help"], args: "", context_id: contextId };
    case "set-push-config":
      return is03
        ? { taskId, pushNotificationConfig: { id: "p", url: "https://example.com/push" } }
        : { taskId, id: "p", url: "https://example.com/push" };
    case "get-push-config":
    case "delete-push-config":
      return is03 ? { id: taskId, pushNotificationConfigId: "p" } : { taskId, id: "p" };
    case "list-push-configs":
      return is03 ? { id: taskId } : { taskId };
    case "list":
    case "list-commands":
    case "extended-card":
    case "end-client":
      return {};
    default:
      return { id: taskId };
  }
}

/** Returns the operation of a request that needs a right. Answers and `auto_execute` are sent with `send`. */
function operationOf(right: Right): Operation {
  return right === "answer" || right === "auto-execute" ? "send" : (right as Operation);
}

const A2A_RIGHTS: readonly Right[] = [
  ...(Object.keys(METHOD_NAMES["1.0"]) as Operation[]),
  "answer",
  "auto-execute",
];

export function bindingOf(rights: readonly Right[], attempt: (right: Right) => Attempt): Binding {
  return Object.fromEntries(rights.map((right) => [right, attempt(right)]));
}

/** Returns true if the server forbids a request. The status is enough, so the body is not read. */
async function isForbidden(request: Promise<Response>): Promise<boolean> {
  const response = await request;
  await response.body?.cancel();
  return response.status === 403;
}

export const overRpc = (version: A2aVersion): Binding =>
  bindingOf(A2A_RIGHTS, (right) => async (stage, token) => {
    const method = METHOD_NAMES[version][operationOf(right)];
    const body = rpc(method, paramsOf(right, version, stage));
    const headers = { ...EXTENSIONS, "X-A2A-Extensions": DEVELOPMENT_TOOL_URI };
    return await isForbidden(
      sendAs(stage.url, { token, body, headers: { ...headers, "A2A-Version": version } }),
    );
  });

export const overSocket: Binding = bindingOf(A2A_RIGHTS, (right) => async (stage, token) => {
  const address = `${stage.wsUrl}?A2A-Version=1.0&events=asked`;
  const headers = { ...EXTENSIONS, Authorization: `Bearer ${token}` };
  const socket = new WebSocket(address, ["dt.a2a.v1"], { headers });
  await once(socket, "open");
  const method = METHOD_NAMES["1.0"][operationOf(right)];
  socket.send(JSON.stringify(rpc(method, paramsOf(right, "1.0", stage))));
  // The stream of `follow-session` may begin without a frame. The reply to this ping then ends the loop.
  socket.send(JSON.stringify({ ...rpc("$/ping", {}), id: 2 }));
  const frames: { id?: unknown; error?: { code: number } }[] = [];
  for await (const [data] of on(socket, "message")) {
    frames.push(JSON.parse(String(data)));
    if (frames.some(({ id }) => id === 1) || (right === "follow-session" && frames.length > 0))
      break;
  }
  socket.terminate();
  return frames.some(({ error }) => error?.code === -32055);
});

/** A route of REST, the server reference or the protocol notes. */
export type Route = (stage: RoleStage) => {
  path: string;
  body?: object;
  method?: string;
  headers?: Record<string, string>;
};

/** Sends a request to a route for each right. */
export const overRoutes = (routes: Readonly<Partial<Record<Right, Route>>>): Binding =>
  Object.fromEntries(
    Object.entries(routes).map(([right, route]) => [
      right,
      async (stage: RoleStage, token: string) => {
        const { path, headers, ...request } = route(stage);
        return await isForbidden(
          sendAs(`${stage.url}${path}`, {
            token,
            headers: { ...EXTENSIONS, ...headers },
            ...request,
          }),
        );
      },
    ]),
  );

const PUSH = "pushNotificationConfigs";
const restTask = (stage: RoleStage, suffix = "") => `v1/tasks/${stage.taskId}${suffix}`;
const message = (right: Right) => (stage: RoleStage) => ({
  path: "v1/message:send",
  body: paramsOf(right, "1.0", stage),
});

export const overRest = overRoutes({
  send: message("send"),
  answer: message("answer"),
  "auto-execute": message("auto-execute"),
  stream: (stage) => ({ path: "v1/message:stream", body: paramsOf("stream", "1.0", stage) }),
  get: (stage) => ({ path: restTask(stage) }),
  list: () => ({ path: "v1/tasks" }),
  subscribe: (stage) => ({ path: restTask(stage, ":subscribe") }),
  cancel: (stage) => ({ path: restTask(stage, ":cancel"), method: "POST" }),
  "set-push-config": (stage) => ({
    path: restTask(stage, `/${PUSH}`),
    body: { id: "p", url: "https://example.com/push" },
  }),
  "get-push-config": (stage) => ({ path: restTask(stage, `/${PUSH}/p`) }),
  "list-push-configs": (stage) => ({ path: restTask(stage, `/${PUSH}`) }),
  "delete-push-config": (stage) => ({ path: restTask(stage, `/${PUSH}/p`), method: "DELETE" }),
  "extended-card": () => ({ path: "v1/extendedAgentCard" }),
  "session-access": ({ contextId }) => ({ path: `v1/sessions/${contextId}/access` }),
  "list-granted": () => ({ path: "v1/sessions:shared" }),
  "join-session": () => ({ path: "v1/sessions:join", body: { link: "dtl_" } }),
  "share-session": ({ contextId }) => ({
    path: `v1/sessions/${contextId}/grants`,
    body: { user: "guest", role: "observe" },
  }),
  "unshare-session": ({ contextId }) => ({
    path: `v1/sessions/${contextId}/grants/none`,
    method: "DELETE",
  }),
});

export const overReference = overRoutes({
  "create-task": ({ contextId }) => ({ path: "tasks", body: { contextId } }),
  "auto-execute": ({ contextId }) => ({
    path: "tasks",
    body: { contextId, agentSettings: { autoExecute: true } },
  }),
  stream: ({ taskId }) => ({ path: `tasks/${taskId}/execute`, body: { message: "hi" } }),
  answer: ({ taskId, callId }) => ({
    path: `tasks/${taskId}/execute`,
    body: { confirmation: { toolCallId: callId, approved: false } },
  }),
  get: ({ taskId }) => ({ path: `tasks/${taskId}` }),
  list: () => ({ path: "tasks" }),
  "read-metrics": () => ({ path: "metrics" }),
});

export const overNotes = overRoutes({
  stream: ({ taskId }) => ({ path: "message/stream", body: { taskId, userMessage: "hi" } }),
  answer: ({ taskId, callId }) => ({
    path: "message/stream",
    body: {
      taskId,
      userMessage: { kind: "tool-call-confirmation", toolCallId: callId, approved: false },
    },
  }),
  "get-metadata": ({ taskId }) => ({ path: `tasks/${taskId}/metadata` }),
  "list-metadata": () => ({ path: "tasks/metadata" }),
  "list-commands": () => ({ path: "listCommands" }),
  "execute-command": ({ contextId }) => ({
    path: "executeCommand",
    body: { command: "help", contextId },
  }),
});

/** A method of gRPC, and its request. */
export interface GrpcRequest {
  readonly path: string;
  readonly bytes: Buffer;
}

/** Calls a method of gRPC; resolves with true if the server forbids it. */
export async function isForbiddenOverGrpc(
  { grpcAddress }: RoleStage,
  token: string,
  { path, bytes }: GrpcRequest,
): Promise<boolean> {
  const channel = new Client(grpcAddress, credentials.createInsecure());
  const metadata = new Metadata();
  metadata.set("authorization", `Bearer ${token}`);
  for (const key of ["a2a-extensions", "x-a2a-extensions"]) metadata.set(key, DEVELOPMENT_TOOL_URI);
  const same = (value: Buffer) => value;
  // A unary call can be read as a stream of one message.
  const call = channel.makeServerStreamRequest(path, same, same, bytes, metadata);
  const code = await new Promise<number>((resolve) => {
    call.once("data", () => resolve(status.OK));
    call.once("error", (error: { code?: number }) => resolve(error.code ?? -1));
    call.once("end", () => resolve(status.OK));
  });
  call.on("error", () => {});
  call.cancel();
  channel.close();
  return code === status.PERMISSION_DENIED;
}

/** For each right, a gRPC method that needs it, and the type of the method's request. */
const GRPC = {
  send: [A2AService.sendMessage, A2A.SendMessageRequest],
  answer: [A2AService.sendMessage, A2A.SendMessageRequest],
  "auto-execute": [A2AService.sendMessage, A2A.SendMessageRequest],
  stream: [A2AService.sendStreamingMessage, A2A.SendMessageRequest],
  get: [A2AService.getTask, A2A.GetTaskRequest],
  list: [A2AService.listTasks, A2A.ListTasksRequest],
  cancel: [A2AService.cancelTask, A2A.CancelTaskRequest],
  subscribe: [A2AService.subscribeToTask, A2A.SubscribeToTaskRequest],
  "set-push-config": [A2AService.createTaskPushNotificationConfig, A2A.TaskPushNotificationConfig],
  "get-push-config": [
    A2AService.getTaskPushNotificationConfig,
    A2A.GetTaskPushNotificationConfigRequest,
  ],
  "list-push-configs": [
    A2AService.listTaskPushNotificationConfigs,
    A2A.ListTaskPushNotificationConfigsRequest,
  ],
  "delete-push-config": [
    A2AService.deleteTaskPushNotificationConfig,
    A2A.DeleteTaskPushNotificationConfigRequest,
  ],
  "extended-card": [A2AService.getExtendedAgentCard, A2A.GetExtendedAgentCardRequest],
} as const;

export const overGrpc: Binding = bindingOf(
  Object.keys(GRPC) as Right[],
  (right) => async (stage, token) => {
    const [{ path, requestSerialize }, type] = GRPC[right as keyof typeof GRPC];
    const request = type.fromJSON(paramsOf(right, "1.0", stage));
    const bytes = (requestSerialize as (value: unknown) => Buffer)(request);
    return await isForbiddenOverGrpc(stage, token, { path, bytes });
  },
);
