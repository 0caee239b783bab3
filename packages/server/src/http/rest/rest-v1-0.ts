import { isObject, type JsonObject } from "@dt/schema";
import { encodeRestError } from "@dt/schema/wire";
import type { Request } from "express";
import { type RestBinding, readQuery, SHARING_ROUTES } from "./rest-binding.js";

const taskId = ({ params }: Request): JsonObject => ({ id: params.taskId });
const taskConfig = ({ params }: Request): JsonObject => ({ ...params, id: params.configId });
const taskConfigs = (request: Request): JsonObject => ({
  ...readQuery(request),
  ...taskConfig(request),
});
// The task in the URL overrides the task in the body.
const newConfig = ({ params, body }: Request): JsonObject =>
  isObject(body) ? { ...body, taskId: params.taskId } : body;

/** A2A 1.0's HTTP+JSON binding. The dispatcher uses the same JSON, so nothing is converted. */
export const REST_V1_0: RestBinding = {
  version: "1.0",
  routes: [
    ["post", "/message\\:send", "send", ({ body }) => body],
    ["post", "/message\\:stream", "stream", ({ body }) => body],
    ["get", "/tasks", "list", (request) => readQuery(request)],
    ["get", "/tasks/:taskId\\:subscribe", "subscribe", taskId],
    ["post", "/tasks/:taskId\\:subscribe", "subscribe", taskId],
    ["post", "/tasks/:taskId\\:cancel", "cancel", taskId],
    ["get", "/tasks/:taskId", "get", (request) => ({ ...readQuery(request), ...taskId(request) })],
    ["post", "/tasks/:taskId/pushNotificationConfigs", "set-push-config", newConfig],
    ["get", "/tasks/:taskId/pushNotificationConfigs", "list-push-configs", taskConfigs],
    ["get", "/tasks/:taskId/pushNotificationConfigs/:configId", "get-push-config", taskConfig],
    [
      "delete",
      "/tasks/:taskId/pushNotificationConfigs/:configId",
      "delete-push-config",
      taskConfig,
    ],
    ["get", "/extendedAgentCard", "extended-card"],
    ["get", "/card", "extended-card"],
    ...SHARING_ROUTES,
  ],
  // ProtoJSON has no null at the top level, so an empty result is an empty object.
  encodeResult: (_operation, result) => result ?? {},
  encodeError: encodeRestError,
  encodeNotAllowed(error) {
    const { status: _, ...rest } = encodeRestError(error).body.error as JsonObject;
    return { error: { ...rest, code: 405, status: "UNIMPLEMENTED" } };
  },
};
