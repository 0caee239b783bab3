import type { JsonObject } from "../../../validation/message-json.js";
import { failAt } from "../../../validation/message-json.js";
import {
  compact,
  findObject,
  findString,
  findStrings,
  join,
  readObject,
  readString,
} from "../read-json.js";
import type {
  A2aPushAuthentication,
  A2aPushConfig,
  A2aTaskPushConfig,
  PushSpelling,
} from "./push-config.js";

/** Push configs of A2A 0.3: `{ taskId, pushNotificationConfig }`, with a list of authentication schemes. */
export const PUSH_V0_3: PushSpelling = {
  contentType: "application/json",
  configurationKey: "pushNotificationConfig",
  paramsPath: "pushNotificationConfig",
  decodeConfig,
  encodeTaskConfig,
  decodeTaskConfig,
  encodeTaskConfigs: (taskConfigs) => taskConfigs.map(encodeTaskConfig),
  encodeAddress: ({ taskId, configId }) =>
    compact({ id: taskId, pushNotificationConfigId: configId }),
};

function encodeTaskConfig({ taskId, config }: A2aTaskPushConfig): JsonObject {
  return { taskId, pushNotificationConfig: config };
}

function decodeTaskConfig(json: unknown, path: string): A2aTaskPushConfig {
  const taskConfig = readObject(json, path || "params");
  return {
    taskId: readString(taskConfig, "taskId", path),
    config: decodeConfig(taskConfig.pushNotificationConfig, join(path, "pushNotificationConfig")),
  };
}

function decodeConfig(json: unknown, path: string): A2aPushConfig {
  const config = readObject(json, path);
  const authentication = findObject(config, "authentication", path);
  return compact({
    id: findString(config, "id", path),
    url: readString(config, "url", path),
    token: findString(config, "token", path),
    authentication:
      authentication && decodeAuthentication(authentication, join(path, "authentication")),
    metadata: findObject(config, "metadata", path),
  });
}

function decodeAuthentication(json: JsonObject, path: string): A2aPushAuthentication {
  return compact({
    schemes: findStrings(json, "schemes", path) ?? failAt(join(path, "schemes"), "required"),
    credentials: findString(json, "credentials", path),
  });
}
