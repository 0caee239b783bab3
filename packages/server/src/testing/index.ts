export { createSessionExpiry, type SessionExpiry } from "../sessions/session-expiry.js";
export { commitTo } from "./commit-to.js";
export { createScriptedAgent } from "./fake-agent.js";
export type { TurnScript } from "./fake-turn.js";
export { openTestServer, TERMINAL } from "./open-test-server.js";
export { openRefusingStore, type RefusingStore } from "./refusing-store.js";
export {
  openStorageStandIn,
  type StorageFault,
  type StorageRequest,
  type StorageStandIn,
} from "./storage/open-storage-stand-in.js";
export type { StorePromise } from "./store-checks.js";
export { storeContract } from "./store-contract.js";
