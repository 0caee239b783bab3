import {
  AgentCard,
  CancelTaskRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetExtendedAgentCardRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
  ListTasksRequest,
  ListTasksResponse,
  SendMessageRequest,
  SendMessageResponse,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
  TaskPushNotificationConfig,
} from "@a2a-js/sdk";
import { A2AService } from "@a2a-js/sdk/server/grpc";
import type { Operation } from "@dt/schema/wire";
import { toGrpcStatus } from "../errors/to-grpc-status.js";
import { defineMethod, type GrpcBinding, type GrpcMethod } from "./grpc-binding.js";

const STREAM_METHOD = define(
  "stream",
  A2AService.sendStreamingMessage,
  SendMessageRequest,
  StreamResponse,
);

const METHODS: readonly GrpcMethod[] = [
  define("send", A2AService.sendMessage, SendMessageRequest, SendMessageResponse),
  STREAM_METHOD,
  define("get", A2AService.getTask, GetTaskRequest, Task),
  define("list", A2AService.listTasks, ListTasksRequest, ListTasksResponse),
  define("cancel", A2AService.cancelTask, CancelTaskRequest, Task),
  define("subscribe", A2AService.subscribeToTask, SubscribeToTaskRequest, StreamResponse),
  define(
    "set-push-config",
    A2AService.createTaskPushNotificationConfig,
    TaskPushNotificationConfig,
    TaskPushNotificationConfig,
  ),
  define(
    "get-push-config",
    A2AService.getTaskPushNotificationConfig,
    GetTaskPushNotificationConfigRequest,
    TaskPushNotificationConfig,
  ),
  define(
    "list-push-configs",
    A2AService.listTaskPushNotificationConfigs,
    ListTaskPushNotificationConfigsRequest,
    ListTaskPushNotificationConfigsResponse,
  ),
  define(
    "delete-push-config",
    A2AService.deleteTaskPushNotificationConfig,
    DeleteTaskPushNotificationConfigRequest,
    { fromJSON: () => ({}) },
  ),
  define("extended-card", A2AService.getExtendedAgentCard, GetExtendedAgentCardRequest, AgentCard),
];

/** A2A 1.0's service. The definition and the codecs come from the A2A SDK. (A2A 1.0 §10) */
export const GRPC_V1_0: GrpcBinding = {
  version: "1.0",
  methods: METHODS,
  // Both streaming methods have the same frames.
  encodeFrame: STREAM_METHOD.encodeResult,
  toStatus: toGrpcStatus,
};

// Creates a method with the SDK's codecs for ProtoJSON, because the JSON of the dispatcher is ProtoJSON.
function define<TRequest, TResponse>(
  operation: Operation,
  definition: Parameters<typeof defineMethod<TRequest, TResponse>>[1],
  request: { toJSON(request: TRequest): unknown },
  response: { fromJSON(json: unknown): TResponse },
): GrpcMethod {
  return defineMethod(
    operation,
    definition,
    (message) => request.toJSON(message),
    (json) => response.fromJSON(json),
  );
}
