import { LegacyA2AService } from "@a2a-js/sdk/compat/v0_3/server/grpc";
import { type ErrorCode, isProtocolError, type JsonObject, ProtocolError } from "@dt/schema";
import { PROTO_V0_3 } from "@dt/schema/wire";
import { status as STATUS } from "@grpc/grpc-js";
import { toGrpcStatus, toStatusWithCode } from "../errors/to-grpc-status.js";
import { defineMethod, type GrpcBinding } from "./grpc-binding.js";
import {
  fromSendRequest,
  type SendRequest,
  toSdkFrame,
  toSdkTask,
  toSdkTaskConfig,
} from "./sdk-messages-v0-3.js";

const sendParams = (request: SendRequest) => PROTO_V0_3.fromSend(fromSendRequest(request));
const taskParams = ({ name }: { readonly name: string }) => ({ id: readName(name).taskId });
const configParams = ({ name }: { readonly name: string }) => {
  const { taskId, configId } = readName(name);
  return { id: taskId, pushNotificationConfigId: configId };
};
const toTaskResponse = (json: unknown) => toSdkTask(json as JsonObject);
const toFrameResponse = (json: unknown) => toSdkFrame(json as JsonObject);
const toConfigResponse = (json: unknown) =>
  toSdkTaskConfig(PROTO_V0_3.toResult("get-push-config", json) as JsonObject);

const STREAM_METHOD = defineMethod(
  "stream",
  LegacyA2AService.sendStreamingMessage,
  sendParams,
  toFrameResponse,
);

/** A2A 0.3's service. The definition and the codecs come from the A2A SDK. (A2A 0.3 §3.2.2) */
export const GRPC_V0_3: GrpcBinding = {
  version: "0.3",
  methods: [
    defineMethod("send", LegacyA2AService.sendMessage, sendParams, toSendResponse),
    STREAM_METHOD,
    defineMethod(
      "get",
      LegacyA2AService.getTask,
      // Protobuf decodes a missing `historyLength` as 0, so 0 means the whole history.
      ({ name, historyLength }) => ({
        ...taskParams({ name }),
        historyLength: historyLength || undefined,
      }),
      toTaskResponse,
    ),
    defineMethod("cancel", LegacyA2AService.cancelTask, taskParams, toTaskResponse),
    defineMethod("subscribe", LegacyA2AService.taskSubscription, taskParams, toFrameResponse),
    defineMethod(
      "set-push-config",
      LegacyA2AService.createTaskPushNotificationConfig,
      ({ parent, ...request }) => PROTO_V0_3.fromTaskConfig(request, readName(parent).taskId),
      toConfigResponse,
    ),
    defineMethod(
      "get-push-config",
      LegacyA2AService.getTaskPushNotificationConfig,
      configParams,
      toConfigResponse,
    ),
    defineMethod(
      "list-push-configs",
      LegacyA2AService.listTaskPushNotificationConfig,
      ({ parent }) => taskParams({ name: parent }),
      (json) => ({ configs: (json as unknown[]).map(toConfigResponse), nextPageToken: "" }),
    ),
    defineMethod(
      "delete-push-config",
      LegacyA2AService.deleteTaskPushNotificationConfig,
      configParams,
      () => ({}),
    ),
    defineMethod(
      "extended-card",
      LegacyA2AService.getAgentCard,
      () => ({}),
      () => {
        throw new ProtocolError(
          "unsupported-operation",
          "the extended card of A2A 0.3 is not sent over gRPC; use JSON-RPC or HTTP+JSON",
        );
      },
    ),
  ],
  // Both streaming methods have the same frames.
  encodeFrame: STREAM_METHOD.encodeResult,
  toStatus(reason) {
    const isMissing = isProtocolError(reason) && UNIMPLEMENTED.includes(reason.code);
    return isMissing ? toStatusWithCode(reason, STATUS.UNIMPLEMENTED) : toGrpcStatus(reason);
  },
};

/** Errors that the SDK of A2A 0.3 sends with the status UNIMPLEMENTED. Its client recognises them by this status. */
const UNIMPLEMENTED: readonly ErrorCode[] = ["push-not-supported", "unsupported-operation"];

function toSendResponse(json: unknown) {
  const { payload } = toSdkFrame(json as JsonObject);
  if (payload?.$case === "task" || payload?.$case === "msg") return { payload };
  throw new Error("the result of SendMessage is an update; expected a task or a message");
}

/** Reads the name of a task or of a push config: `tasks/{id}` or `tasks/{id}/pushNotificationConfigs/{id}`. */
function readName(name: string): {
  readonly taskId: string;
  readonly configId: string | undefined;
} {
  const [, taskId, configId] =
    /^tasks\/([^/]+)(?:\/pushNotificationConfigs\/([^/]*))?$/.exec(name) ?? [];
  if (taskId !== undefined) return { taskId, configId };
  throw new ProtocolError("invalid-message", "name: expected tasks/{id}", {
    data: { path: "name" },
  });
}
