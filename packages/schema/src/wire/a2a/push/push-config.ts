import type { JsonObject } from "../../../validation/message-json.js";

/** Where a client wants to be called back, free of any version's spelling. */
export interface A2aPushConfig {
  /** Tells the configs of one task apart; the agent names one that has none. */
  readonly id?: string;
  readonly url: string;
  /** Sent back with every call, so that the receiver knows it. */
  readonly token?: string;
  readonly authentication?: A2aPushAuthentication;
  /** Not A2A's: where the session extension says more about a config. */
  readonly metadata?: JsonObject;
}

/** How calls are authenticated. */
export interface A2aPushAuthentication {
  /** Of HTTP, e.g. Bearer. A2A 1.0 knows one, A2A 0.3 lists those that the receiver accepts. */
  readonly schemes: readonly string[];
  readonly credentials?: string;
}

/** A config of a task. */
export interface A2aTaskPushConfig {
  readonly taskId: string;
  readonly config: A2aPushConfig;
}

/** Which config is meant; where none is named, the one that was set without a name. */
export interface PushAddress {
  readonly taskId: string;
  readonly configId?: string;
}

/** How one version of A2A spells push configs, and the parameters and results about them. */
export interface PushSpelling {
  /** The type of what is posted to a receiver. */
  readonly contentType: string;
  /** Where a message's configuration carries one. */
  readonly configurationKey: string;
  /** Where the parameters of setting carry it; "" where they are the config themselves. */
  readonly paramsPath: string;
  /** Reads one out of a message's configuration. */
  decodeConfig(json: unknown, path: string): A2aPushConfig;
  /** The result of setting and getting, and the parameters of setting. */
  encodeTaskConfig(taskConfig: A2aTaskPushConfig): JsonObject;
  decodeTaskConfig(json: unknown, path: string): A2aTaskPushConfig;
  /** The result of listing; only A2A 1.0 has pages. */
  encodeTaskConfigs(taskConfigs: readonly A2aTaskPushConfig[], nextPageToken?: string): unknown;
  /** The parameters of getting, deleting and listing: a task, and a config of it. */
  encodeAddress(address: PushAddress): JsonObject;
}
