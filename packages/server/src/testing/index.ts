export {
  createSessionExpiry,
  type SessionExpiry,
  type SessionExpiryOptions,
} from "../sessions/session-expiry.js";
export { type CommitDraft, commitTo } from "./commit-to.js";
export { createFakeAgent } from "./fake-agent.js";
export { echo, type FakeScript, type FakeTurn } from "./fake-turn.js";
export { openTestServer, type TestServerOptions, terminal } from "./open-test-server.js";
export { openRefusingStore, type RefusingStore } from "./refusing-store.js";
export type { StorePromise } from "./store-checks.js";
export { storeContract } from "./store-contract.js";
