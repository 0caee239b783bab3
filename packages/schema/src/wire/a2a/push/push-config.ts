import type { JsonObject } from "../../../validation/message-json.js";

/** Address and credentials of a push receiver, independent of the version's spelling. */
export interface A2aPushConfig {
  /** Id of the config, unique within its task. If the id is absent, the agent creates one. */
  readonly id?: string;
  readonly url: string;
  /** Token that the agent sends with every call, so that the receiver recognises the agent. */
  readonly token?: string;
  readonly authentication?: A2aPushAuthentication;
  /** Metadata of our session extension about the config; A2A has no such field. */
  readonly metadata?: JsonObject;
}

/** Authentication of calls to the receiver. */
export interface A2aPushAuthentication {
  /** HTTP schemes, such as Bearer. A2A 1.0 allows one scheme; A2A 0.3 lists all that the receiver accepts. */
  readonly schemes: readonly string[];
  readonly credentials?: string;
}

/** A push config and its task. */
export interface A2aTaskPushConfig {
  readonly taskId: string;
  readonly config: A2aPushConfig;
}

/** Identifies a config. An absent `configId` means the config that was set without an id. */
export interface PushAddress {
  readonly taskId: string;
  readonly configId?: string;
}

/** Spelling of push configs, and of the parameters and results about them, in one version of A2A. */
export interface PushSpelling {
  /** Media type of the body that is posted to a receiver. */
  readonly contentType: string;
  /** Key of the config in a message's configuration. */
  readonly configurationKey: string;
  /**
   * Path of the config in the parameters of `set-push-config`; "" if the parameters are the config.
   */
  readonly paramsPath: string;
  /** Decodes a config from a message's configuration. */
  decodeConfig(json: unknown, path: string): A2aPushConfig;
  /**
   * Encodes the parameters for setting a config. The results of setting and getting a config have the
   * same form.
   */
  encodeTaskConfig(taskConfig: A2aTaskPushConfig): JsonObject;
  decodeTaskConfig(json: unknown, path: string): A2aTaskPushConfig;
  /** Encodes the result of listing configs; only A2A 1.0 has pages. */
  encodeTaskConfigs(taskConfigs: readonly A2aTaskPushConfig[], nextPageToken?: string): unknown;
  /** Encodes the parameters of getting, deleting and listing configs. */
  encodeAddress(address: PushAddress): JsonObject;
}
