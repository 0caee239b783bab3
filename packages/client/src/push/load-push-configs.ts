import type { Conversation } from "../task/channel/requests.js";
import type { PushConfigs } from "./push-configs.js";

/**
 * Creates the methods for the push configurations of a task. Their code is loaded by the first call,
 * because few pages use push.
 */
export function loadPushConfigs(conversation: Conversation, taskId: () => string): PushConfigs {
  const load = async () =>
    (await import("./push-configs.js")).createPushConfigs(conversation, taskId);
  return {
    set: async (...args) => (await load()).set(...args),
    get: async (...args) => (await load()).get(...args),
    list: async (...args) => (await load()).list(...args),
    delete: async (...args) => (await load()).delete(...args),
  };
}
