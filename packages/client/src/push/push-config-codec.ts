import { failAt, isObject, type JsonObject } from "@dt/schema";
import type { A2aSpelling } from "@dt/schema/wire";

/** A receiver that the agent calls when a task changes. */
export interface PushConfig {
  /** Id of the configuration, unique within its task. If the id is absent, `set` creates one. */
  readonly id?: string;
  /** Address to which the agent posts notifications. */
  readonly url: string;
  /** Token that the agent sends as `X-A2A-Notification-Token`, by which the receiver recognises the agent. */
  readonly token?: string;
  /** Authentication of the agent at the receiver. */
  readonly authentication?: PushAuthentication;
}

/** An HTTP authentication scheme and its credentials. */
export interface PushAuthentication {
  /** Scheme, such as `Bearer`. */
  readonly scheme: string;
  /** Credentials of the scheme, such as a token. Our server does not return them. */
  readonly credentials?: string;
}

/** Encodes a configuration of a task in one version of A2A. */
export function encodePushConfig(
  taskId: string,
  { authentication, ...config }: PushConfig,
  { push }: A2aSpelling,
): JsonObject {
  const { scheme, ...rest } = authentication ?? { scheme: undefined };
  return push.encodeTaskConfig({
    taskId,
    config: {
      ...config,
      ...(scheme !== undefined && { authentication: { schemes: [scheme], ...rest } }),
    },
  });
}

/** Decodes a configuration that an agent returned. */
export function decodePushConfig(json: unknown, { push }: A2aSpelling): PushConfig {
  const { authentication, metadata: _, ...config } = push.decodeTaskConfig(json, "result").config;
  const { schemes: [scheme] = [], ...rest } = authentication ?? {};
  return { ...config, ...(scheme !== undefined && { authentication: { scheme, ...rest } }) };
}

/** Decodes a list of configurations. A2A 1.0 has pages; A2A 0.3 has one list. */
export function decodePushConfigs(
  json: unknown,
  spelling: A2aSpelling,
): { readonly configs: readonly PushConfig[]; readonly next?: string } {
  const { configs = [], nextPageToken } = Array.isArray(json)
    ? { configs: json }
    : isObject(json)
      ? json
      : failAt("result", "expected a list");
  if (!Array.isArray(configs)) failAt("result.configs", "expected a list");
  const decoded = configs.map((each) => decodePushConfig(each, spelling));
  return nextPageToken ? { configs: decoded, next: String(nextPageToken) } : { configs: decoded };
}
