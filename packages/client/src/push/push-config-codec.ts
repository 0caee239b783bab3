import { failAt, isObject, type JsonObject } from "@dt/schema";
import type { A2aSpelling } from "@dt/schema/wire";

/** Who is called when a task changes while no client listens. */
export interface PushConfig {
  /** Tells several configurations of one task apart. The agent gives one where there is none. */
  readonly id?: string;
  /** Where the agent POSTs what happens. */
  readonly url: string;
  /** Sent along as `X-A2A-Notification-Token`, so that the receiver knows who calls. */
  readonly token?: string;
  /** How the agent authenticates itself to the receiver. */
  readonly authentication?: PushAuthentication;
}

/** An HTTP authentication scheme and what it takes. */
export interface PushAuthentication {
  /** Such as `Bearer`. */
  readonly scheme: string;
  /** What the scheme takes, such as a token. Our server does not give it back. */
  readonly credentials?: string;
}

/** A configuration of a task, as one version of A2A sets it. */
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

/** A configuration as an agent gives it back. */
export function decodePushConfig(json: unknown, { push }: A2aSpelling): PushConfig {
  const { authentication, metadata: _, ...config } = push.decodeTaskConfig(json, "result").config;
  const { schemes: [scheme] = [], ...rest } = authentication ?? {};
  return { ...config, ...(scheme !== undefined && { authentication: { scheme, ...rest } }) };
}

/** A list of them: A2A 1.0 has pages, A2A 0.3 has one. */
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
