import type { Conversation } from "../task/channel/requests.js";
import type { Sharing } from "./sharing.js";

/**
 * Creates the methods for sharing. The first call of a method loads their code, because few pages share
 * sessions.
 */
export function loadSharing(conversation: Conversation): Sharing {
  const load = async () => (await import("./sharing.js")).createSharing(conversation);
  return {
    share: async (...args) => (await load()).share(...args),
    unshare: async (...args) => (await load()).unshare(...args),
    access: async (...args) => (await load()).access(...args),
    join: async (...args) => (await load()).join(...args),
    list: async (...args) => (await load()).list(...args),
  };
}
