import { failAt, isObject, type JsonObject } from "@dt/schema";
import type { A2aVersion } from "@dt/schema/wire";

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
  readonly credentials?: string;
}

/** How one version of A2A spells push configurations and the requests about them. */
export interface PushSpelling {
  encodeSet(taskId: string, config: PushConfig): JsonObject;
  encodeGet(taskId: string, id: string | undefined): JsonObject;
  encodeList(taskId: string, pageToken: string | undefined): JsonObject;
  encodeDelete(taskId: string, id: string): JsonObject;
  decode(json: unknown): PushConfig;
  decodePage(json: unknown): { readonly configs: readonly PushConfig[]; readonly next?: string };
}

/** A2A 0.3: the configuration stands inside its task's, and has a list of schemes. */
const v0_3: PushSpelling = {
  encodeSet: (taskId, { authentication, ...config }) => ({
    taskId,
    pushNotificationConfig: {
      ...config,
      ...(authentication !== undefined && {
        authentication: {
          schemes: [authentication.scheme],
          ...(authentication.credentials !== undefined && {
            credentials: authentication.credentials,
          }),
        },
      }),
    },
  }),
  encodeGet: (taskId, id) => ({
    id: taskId,
    ...(id !== undefined && { pushNotificationConfigId: id }),
  }),
  encodeList: (taskId) => ({ id: taskId }),
  encodeDelete: (taskId, id) => ({ id: taskId, pushNotificationConfigId: id }),
  decode(json) {
    const config = isObject(json) ? json.pushNotificationConfig : undefined;
    return decodeConfig(config, (authentication) => {
      const { schemes } = authentication;
      return Array.isArray(schemes) ? schemes[0] : undefined;
    });
  },
  decodePage: (json) => ({
    configs: Array.isArray(json) ? json.map(v0_3.decode) : failAt("result", "expected a list"),
  }),
};

/** A2A 1.0: one flat object with the id of its task, and pages. */
const v1_0: PushSpelling = {
  encodeSet: (taskId, config) => ({ taskId, ...config }),
  encodeGet: (taskId, id = "") => ({ taskId, id }),
  encodeList: (taskId, pageToken) => ({ taskId, ...(pageToken !== undefined && { pageToken }) }),
  encodeDelete: (taskId, id) => ({ taskId, id }),
  decode: (json) => decodeConfig(json, ({ scheme }) => scheme),
  decodePage(json) {
    const { configs = [], nextPageToken } = isObject(json) ? json : {};
    if (!Array.isArray(configs)) failAt("result.configs", "expected a list");
    const next =
      typeof nextPageToken === "string" && nextPageToken !== "" ? nextPageToken : undefined;
    return { configs: configs.map(v1_0.decode), ...(next !== undefined && { next }) };
  },
};

/** How each version spells push configurations. */
export const pushSpellings: Readonly<Record<A2aVersion, PushSpelling>> = {
  "0.3": v0_3,
  "1.0": v1_0,
};

function decodeConfig(
  json: unknown,
  schemeOf: (authentication: JsonObject) => unknown,
): PushConfig {
  if (!isObject(json) || typeof json.url !== "string") {
    return failAt("result", "expected a push configuration with a url");
  }
  const { id, url, token, authentication } = json;
  const scheme = isObject(authentication) ? schemeOf(authentication) : undefined;
  const credentials = isObject(authentication) ? authentication.credentials : undefined;
  return {
    url,
    ...(typeof id === "string" && id !== "" && { id }),
    ...(typeof token === "string" && token !== "" && { token }),
    ...(typeof scheme === "string" && {
      authentication: {
        scheme,
        ...(typeof credentials === "string" && credentials !== "" && { credentials }),
      },
    }),
  };
}
