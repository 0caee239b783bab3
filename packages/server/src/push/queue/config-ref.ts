import type { PushKey, PushRecord } from "../../store/push-record.js";
import type { QueuedConfig } from "./receiver-queues.js";

/** The parts of a push config that decide whom it calls, and about what. */
export interface ConfigRef extends QueuedConfig, PushKey {
  readonly contextId: string;
  readonly allEvents: boolean;
}

/** Refers to a config. */
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

/** The key of a config among those of all tasks. */
export function configKey({ taskId, configId }: PushKey): string {
  return JSON.stringify([taskId, configId]);
}
