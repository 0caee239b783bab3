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
 * The push configurations of a task: who is called when it changes while no client listens.
 *
 * They belong to the task that their handle is in by then. On A2A 1.0 a prompt after the end of a task
 * makes another one, which begins without any: set them again where they are wanted.
 */
export interface PushConfigs {
  /** Adds one, or replaces the one with the same id; gives it as the agent keeps it. */
  set(config: PushConfig, options?: CallOptions): Promise<PushConfig>;
  /** One of them; without an id the one that there is, which several are not. */
  get(id?: string, options?: CallOptions): Promise<PushConfig>;
  /** All of them. */
  list(options?: CallOptions): Promise<readonly PushConfig[]>;
  /** Takes one away. */
  delete(id: string, options?: CallOptions): Promise<void>;
}

/** The configurations of the task that `taskId` names by then. */
export function createPushConfigs(conversation: Conversation, taskId: () => string): PushConfigs {
  const { spelling } = conversation;
  const address = (configId?: string) =>
    spelling.push.encodeAddress({ taskId: taskId(), ...(configId !== undefined && { configId }) });
  const configs: PushConfigs = {
    async set(config, { signal } = {}) {
      // With an id of ours where there is none: sent twice, it is still one.
      const named = { id: createMessageId(), ...config };
      const params = encodePushConfig(taskId(), named, spelling);
      const json = await request(conversation, "set-push-config", params, signal);
      return decodePushConfig(json, spelling);
    },
    async get(id, { signal } = {}) {
      if (id === undefined) return theOnly(await configs.list({ ...(signal && { signal }) }));
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

// A2A 1.0 knows no config without a name, and agents of A2A 0.3 take none for one of the task's own.
function theOnly(configs: readonly PushConfig[]): PushConfig {
  const [first, second] = configs;
  if (first === undefined) {
    throw new ProtocolError("task-not-found", "this task has no push configuration");
  }
  if (second === undefined) return first;
  const ids = configs.map(({ id }) => id).join(", ");
  throw new ProtocolError(
    "invalid-message",
    `this task has ${configs.length} push configurations; name one of ${ids}`,
  );
}
