import type { JsonObject } from "../../../validation/message-json.js";
import { compact, findObject, findString, join, readObject, readString } from "../read-json.js";
import type {
  A2aPushAuthentication,
  A2aPushConfig,
  A2aTaskPushConfig,
  PushSpelling,
} from "./push-config.js";

/** Push configs of A2A 1.0: `{ taskId, url, … }`, with one authentication scheme, and listed in pages. */
export const PUSH_V1_0: PushSpelling = {
  contentType: "application/a2a+json",
  configurationKey: "taskPushNotificationConfig",
  paramsPath: "",
  decodeConfig,
  encodeTaskConfig,
  decodeTaskConfig,
  encodeTaskConfigs: (taskConfigs, nextPageToken = "") => ({
    configs: taskConfigs.map(encodeTaskConfig),
    nextPageToken,
  }),
  encodeAddress: ({ taskId, configId }) => compact({ taskId, id: configId }),
};

function encodeTaskConfig({ taskId, config }: A2aTaskPushConfig): JsonObject {
  const { id, url, token, authentication, metadata } = config;
  const [scheme] = authentication?.schemes ?? [];
  return compact({
    id,
    taskId,
    url,
    token,
    authentication:
      scheme === undefined
        ? undefined
        : compact({ scheme, credentials: authentication?.credentials }),
    metadata,
  });
}

function decodeTaskConfig(json: unknown, path: string): A2aTaskPushConfig {
  const config = readObject(json, path || "params");
  return { taskId: readString(config, "taskId", path), config: decodeConfig(config, path) };
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
    schemes: [readString(json, "scheme", path)],
    credentials: findString(json, "credentials", path),
  });
}
