import { ProtocolError } from "@dt/schema";
import type { CallOptions } from "../task/call-options.js";
import { createMessageId } from "../task/own-prompt.js";
import { type Conversation, request } from "../task/requests.js";
import { type PushConfig, pushSpellings } from "./push-config-codec.js";

/** The push configurations of a task: who is called when it changes while no client listens. */
export interface PushConfigs {
  /** Adds one, or replaces the one with the same id; gives it as the agent keeps it. */
  set(config: PushConfig, options?: CallOptions): Promise<PushConfig>;
  /** One of them; without an id the one that there is. */
  get(id?: string, options?: CallOptions): Promise<PushConfig>;
  /** All of them. */
  list(options?: CallOptions): Promise<readonly PushConfig[]>;
  /** Takes one away. */
  delete(id: string, options?: CallOptions): Promise<void>;
}

/** The configurations of the task that `taskId` names by then. */
export function createPushConfigs(conversation: Conversation, taskId: () => string): PushConfigs {
  const spelling = pushSpellings[conversation.spelling.version];
  const configs: PushConfigs = {
    async set(config, { signal } = {}) {
      // With an id of ours where there is none: sent twice, it is still one.
      const params = spelling.encodeSet(taskId(), { id: createMessageId(), ...config });
      return spelling.decode(await request(conversation, "set-push-config", params, signal));
    },
    async get(id, { signal } = {}) {
      // A2A 1.0 knows no config without a name: the one that there is, is the first.
      if (id === undefined && conversation.spelling.version === "1.0") {
        const [first] = await configs.list({ ...(signal && { signal }) });
        if (first !== undefined) return first;
        throw new ProtocolError("task-not-found", "this task has no push configuration");
      }
      const params = spelling.encodeGet(taskId(), id);
      return spelling.decode(await request(conversation, "get-push-config", params, signal));
    },
    async list({ signal } = {}) {
      const found: PushConfig[] = [];
      let next: string | undefined;
      do {
        const params = spelling.encodeList(taskId(), next);
        const json = await request(conversation, "list-push-configs", params, signal);
        const page = spelling.decodePage(json);
        found.push(...page.configs);
        ({ next } = page);
      } while (next !== undefined);
      return found;
    },
    async delete(id, { signal } = {}) {
      const params = spelling.encodeDelete(taskId(), id);
      await request(conversation, "delete-push-config", params, signal);
    },
  };
  return configs;
}
