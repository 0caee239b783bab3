import { JOIN_PAGE } from "@dt/example-browser-page/join-page";
import { createPairing, type LiveServerOptions, openMemoryStore } from "@dt/server";
import { sendAs } from "../auth/token-stage.js";
import { openLiveStage } from "../support/open-live-stage.js";

/** Opens a live session whose endpoint pairs devices. */
export async function openPairingStage(server: LiveServerOptions = {}) {
  const store = openMemoryStore();
  const pairing = createPairing({ store });
  const join = { pairing, loadPage: async () => JOIN_PAGE };
  const stage = await openLiveStage({ openStore: () => store, server: { join, ...server } });
  return {
    ...stage,
    store,
    pairing,
    /** Sends a code to the endpoint, as the page at `/join` does. */
    async join(body: object, headers: Record<string, string> = {}) {
      return await sendAs(`${stage.url}join`, { body, headers });
    },
    /** Pairs a device; resolves with its token. */
    async pair(name: string, role: Parameters<typeof pairing.offer>[0] = "approve") {
      const response = await this.join({ code: pairing.offer(role), name });
      const { token } = await response.json();
      return String(token);
    },
    [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose](),
  };
}
