export { SetupError } from "@dt/schema";
export type { Authenticate, AuthenticatedCaller } from "./access/auth/authenticate.js";
export { issueToken, type NewToken } from "./access/auth/issue-token.js";
export type { JwtOptions } from "./access/auth/jwt-authentication.js";
export { type Right, ROLE_TABLE } from "./access/auth/role-table.js";
export { isValidToken } from "./access/auth/token-validity.js";
export { readKeyFiles } from "./access/key-files.js";
export type { Limits } from "./access/limits/limits.js";
export { checkWorkspace } from "./access/workspace-roots.js";
export type { CardSkill } from "./agent-card/build-agent-card.js";
export type { AgentFileOptions } from "./agent-file/write-agent-file.js";
export type { AuditLine } from "./audit/audit-line.js";
export { recordAudit } from "./audit/audit-log.js";
export { type AuditedStore, readAuditLines } from "./audit/read-audit-lines.js";
export { createAgentServer } from "./create-agent-server.js";
export {
  createExecutorAgent,
  type ExecutorAgentOptions,
  type SdkExecutor,
} from "./executor/create-executor-agent.js";
export type { LiveServerOptions, LiveSession } from "./live/live-session.js";
export {
  type LiveEndpoint,
  type LiveEndpointOptions,
  openLiveEndpoint,
} from "./live/open-live-endpoint.js";
export { type LiveSessionOptions, openLiveSession } from "./live/open-live-session.js";
export { exportTask } from "./log/export-task.js";
export { createLogger, LOG_LEVELS, type Logger, type LogLevel } from "./logging/logger.js";
export { secretsOf } from "./logging/redact.js";
export { createPrometheusMetrics } from "./metrics/create-prometheus-metrics.js";
export type { Metrics } from "./metrics/metrics.js";
export {
  createPairing,
  type PairedDevice,
  type Pairing,
  type PairingOptions,
  type PairRequest,
} from "./pairing/create-pairing.js";
export type { JoinOptions, JoinPageFile } from "./pairing/join-page.js";
export type { PushOptions } from "./push/open-push.js";
export type { SecretKeyOptions } from "./secrets/secret-keys.js";
export type { AgentServer, AgentServerOptions } from "./serving/agent-server-options.js";
export { type AuthOptions, requiresAuth } from "./serving/requires-auth.js";
export { SERVER_DEFAULTS } from "./serving/server-defaults.js";
export type { TlsFiles } from "./serving/sockets/tls-files.js";
export type {
  AuditEntry,
  AuditKind,
  AuditQuery,
  AuditRecord,
  AuditStore,
} from "./store/audit-store.js";
export { decodeBackup, encodeBackup } from "./store/backup/backup-codec.js";
export type {
  BackupRow,
  BackupStore,
  BackupTable,
  BackupValue,
} from "./store/backup/backup-tables.js";
export type { Commit, CommitOutcome, CommitOutcomes } from "./store/commit.js";
export type { AcquireOptions, Lease } from "./store/lease.js";
export { openMemoryStore } from "./store/memory/open-memory-store.js";
export type { PushKey, PushProgress, PushRecord, PushTarget } from "./store/push-record.js";
export type { PushStore } from "./store/push-store.js";
export type {
  EventQuery,
  LogEvent,
  SessionQuery,
  SessionRecord,
  SessionStore,
  StoredReceipt,
  StoredSession,
  StoredView,
  TaskCounts,
  TaskRecord,
} from "./store/session-store.js";
export { openSqliteBackup } from "./store/sqlite/backup/open-sqlite-backup.js";
export { openSqliteStore } from "./store/sqlite/open-sqlite-store.js";
export type { StoredTaskPage, TaskQuery } from "./store/task-page.js";
export type { TokenName, TokenRecord, TokenStore } from "./store/token-store.js";
