import type { Conversation } from "../task/channel/requests.js";
import type { PushConfigs } from "./push-configs.js";

/**
 * Creates the methods for the push configurations of a task. The first call of a method loads their code,
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
