import type { JsonObject } from "@dt/schema";
import { encodeBareError, PROTO_V0_3 } from "@dt/schema/wire";
import type { Request } from "express";
import { createFrameEncoder } from "../../rpc/frames/frame-encoder.js";
import { type RestBinding, type RestRoute, readQuery, SHARING_ROUTES } from "./rest-binding.js";

const message = ({ body }: Request): JsonObject => PROTO_V0_3.fromSend(body);
const taskId = ({ params }: Request): JsonObject => ({ id: params.taskId });
const taskConfig = ({ params }: Request): JsonObject => ({
  id: params.taskId,
  pushNotificationConfigId: params.configId,
});
const newConfig = ({ params, body }: Request): JsonObject =>
  PROTO_V0_3.fromTaskConfig(body, String(params.taskId));

const ROUTES: readonly RestRoute[] = [
  ["post", "/message\\:send", "send", message],
  ["post", "/message\\:stream", "stream", message],
  ["get", "/tasks", "list", (request) => PROTO_V0_3.fromList(readQuery(request))],
  ["get", "/tasks/:taskId\\:subscribe", "subscribe", taskId],
  ["post", "/tasks/:taskId\\:subscribe", "subscribe", taskId],
  ["post", "/tasks/:taskId\\:cancel", "cancel", taskId],
  ["get", "/tasks/:taskId", "get", (request) => ({ ...readQuery(request), ...taskId(request) })],
  ["post", "/tasks/:taskId/pushNotificationConfigs", "set-push-config", newConfig],
  ["get", "/tasks/:taskId/pushNotificationConfigs", "list-push-configs", taskId],
  ["get", "/tasks/:taskId/pushNotificationConfigs/:configId", "get-push-config", taskConfig],
  ["delete", "/tasks/:taskId/pushNotificationConfigs/:configId", "delete-push-config", taskConfig],
  ["get", "/card", "extended-card"],
  ...SHARING_ROUTES,
];

/**
 * Creates A2A 0.3's HTTP+JSON binding. Clients send and get ProtoJSON, but the dispatcher uses the JSON of JSON-RPC.
 * This binding converts between the two. (A2A 0.3 §3.2.3)
 */
export function createRestV03(): RestBinding {
  const encode = createFrameEncoder((json) =>
    JSON.stringify(PROTO_V0_3.toFrame(json as JsonObject)),
  );
  return {
    version: "0.3",
    routes: ROUTES,
    encodeResult: PROTO_V0_3.toResult,
    encodeFrame: (frame) => ({ ...frame, json: encode(frame) }),
    encodeError: encodeBareError,
    encodeNotAllowed: (error) => encodeBareError(error).body,
  };
}
