import { ProtocolError } from "@dt/schema";
import type { CallOptions } from "../task/call-options.js";
import { type Conversation, request } from "../task/channel/requests.js";
import { createMessageId } from "../task/session/own-prompt.js";
import {
  decodePushConfig,
  decodePushConfigs,
  encodePushConfig,
  type PushConfig,
} from "./push-config-codec.js";

/**
 * Push configurations of a task: receivers that the agent calls when the task changes.
 *
 * The configurations belong to the current task of the handle. On A2A 1.0, a prompt after the end of a task
 * creates another task, which has no configurations. Set the configurations again for the new task.
 */
export interface PushConfigs {
  /**
   * Adds a configuration, or replaces the configuration with the same id; returns the configuration as the
   * agent has stored it.
   */
  set(config: PushConfig, options?: CallOptions): Promise<PushConfig>;
  /**
   * Returns the configuration with this id. Without an id, returns the only configuration; throws if
   * the task has none or several.
   */
  get(id?: string, options?: CallOptions): Promise<PushConfig>;
  /** Returns all configurations. */
  list(options?: CallOptions): Promise<readonly PushConfig[]>;
  /** Deletes a configuration. */
  delete(id: string, options?: CallOptions): Promise<void>;
}

/** Creates the methods for the push configurations of a task. `taskId` is called for every request. */
export function createPushConfigs(conversation: Conversation, taskId: () => string): PushConfigs {
  const { spelling } = conversation;
  const address = (configId?: string) =>
    spelling.push.encodeAddress({ taskId: taskId(), ...(configId !== undefined && { configId }) });
  const configs: PushConfigs = {
    async set(config, { signal } = {}) {
      // A missing id is created here, so that a retried request does not add a second
      // configuration.
      const named = { id: createMessageId(), ...config };
      const params = encodePushConfig(taskId(), named, spelling);
      const json = await request(conversation, "set-push-config", params, signal);
      return decodePushConfig(json, spelling);
    },
    async get(id, { signal } = {}) {
      if (id === undefined) return getOnly(await configs.list({ ...(signal && { signal }) }));
      const json = await request(conversation, "get-push-config", address(id), signal);
      return decodePushConfig(json, spelling);
    },
    async list({ signal } = {}) {
      const found: PushConfig[] = [];
      let next: string | undefined;
      do {
        const params = { ...address(), ...(next !== undefined && { pageToken: next }) };
        const json = await request(conversation, "list-push-configs", params, signal);
        const page = decodePushConfigs(json, spelling);
        found.push(...page.configs);
        ({ next } = page);
      } while (next !== undefined);
      return found;
    },
    async delete(id, { signal } = {}) {
      await request(conversation, "delete-push-config", address(id), signal);
    },
  };
  return configs;
}

// Returns the only config of a list. The list is requested, because A2A 1.0 requires an id in a
// request for one config, and agents of A2A 0.3 treat a missing id as the id of the task.
function getOnly(configs: readonly PushConfig[]): PushConfig {
  const [first, second] = configs;
  if (first === undefined) {
    throw new ProtocolError("task-not-found", "this task has no push configuration");
  }
  if (second === undefined) return first;
  const ids = configs.map(({ id }) => id).join(", ");
  throw new ProtocolError(
    "invalid-message",
    `this task has ${configs.length} push configurations; pass one of the ids ${ids}`,
  );
}
