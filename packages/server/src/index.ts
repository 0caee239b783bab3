export { isLoopback } from "./access/loopback-guard.js";
export type {
  AgentLedger,
  AgentPort,
  AgentPrompt,
  OpenAgent,
  OpenAgentOptions,
} from "./agent-port.js";
export {
  type AgentServer,
  type AgentServerOptions,
  createAgentServer,
} from "./create-agent-server.js";
export { SetupError } from "./errors/setup-error.js";
export { openMemoryStore } from "./store/memory/open-memory-store.js";
export type {
  Commit,
  EventQuery,
  LogEvent,
  SessionRecord,
  SessionStore,
  StoredReceipt,
  TaskRecord,
} from "./store/session-store.js";
export { openSqliteStore, type SqliteStoreOptions } from "./store/sqlite/open-sqlite-store.js";
