import type { PushKey, PushRecord } from "../../store/push-record.js";
import type { QueuedConfig } from "./receiver-queues.js";

/** The fields of a push config that its queue needs. */
export interface ConfigRef extends QueuedConfig, PushKey {
  readonly contextId: string;
  readonly allEvents: boolean;
}

/** Creates the reference to a config. */
export function toConfigRef({ taskId, contextId, configId, target }: PushRecord): ConfigRef {
  const { origin, pathname } = new URL(target.url);
  return {
    key: configKey({ taskId, configId }),
    origin,
    receiver: `${origin}${pathname}`,
    taskId,
    contextId,
    configId,
    allEvents: target.allEvents,
  };
}

/** Returns the key of a config, which is unique over all tasks. */
export function configKey({ taskId, configId }: PushKey): string {
  return JSON.stringify([taskId, configId]);
}
