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
import { ProtocolError } from "@dt/schema";
import type { Operation } from "@dt/schema/wire";

/** One method of A2A's gRPC service, with its codecs between protobuf and the ProtoJSON of the dispatcher. */
export interface GrpcMethod {
  readonly operation: Operation;
  /** Path of the method in HTTP/2, e.g. `/lf.a2a.v1.A2AService/GetTask`. */
  readonly path: string;
  readonly isStreaming: boolean;
  /** Decodes the parameters of the operation; throws `parse-error` if the bytes are not the method's message. */
  decodeParams(bytes: Buffer): unknown;
  /** Encodes the result of the operation, or one frame of its stream. */
  encodeResult(json: unknown): Buffer;
}

/** The method that streams a message's turn. Its codec also encodes the frames of the other streaming method. */
export const STREAM_METHOD = define(
  "stream",
  A2AService.sendStreamingMessage,
  SendMessageRequest,
  StreamResponse,
);

/** The methods of A2A 1.0's service. The definition and the codecs are those of the A2A SDK. (A2A 1.0 §10) */
export const GRPC_METHODS: readonly GrpcMethod[] = [
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

interface Definition<TRequest, TResponse> {
  readonly path: string;
  readonly responseStream: boolean;
  requestDeserialize(bytes: Buffer): TRequest;
  responseSerialize(response: TResponse): Buffer;
}

function define<TRequest, TResponse>(
  operation: Operation,
  definition: Definition<TRequest, TResponse>,
  request: { toJSON(request: TRequest): unknown },
  response: { fromJSON(json: unknown): TResponse },
): GrpcMethod {
  const { path, responseStream: isStreaming } = definition;
  return {
    operation,
    path,
    isStreaming,
    decodeParams(bytes) {
      try {
        return request.toJSON(definition.requestDeserialize(bytes));
      } catch (cause) {
        // A value that is nested too deeply overflows the decoder's stack. That is reported in the same way.
        const message = `the request is not a valid message of ${path}`;
        throw new ProtocolError("parse-error", message, { cause });
      }
    },
    encodeResult: (json) => definition.responseSerialize(response.fromJSON(json)),
  };
}
