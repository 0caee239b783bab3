import type { CredentialBook } from "../access/credential-book.js";
import type { SessionAccess } from "../access/grants/session-access.js";
import type { ServerPushConfigs } from "../rpc/push/push-port.js";
import type { LiveSessions } from "../rpc/tasks/live-sessions.js";
import type { SharedSession } from "../rpc/tasks/shared-session.js";
import type { SessionRegistry } from "../sessions/session-registry.js";
import type { AgentServerOptions } from "./agent-server-options.js";

/** Options of a server on a session registry that is open already. */
export interface ServerOptions
  extends Omit<AgentServerOptions, "openAgent" | "push" | "secretKeys"> {
  readonly sessions: SessionRegistry;
  /** The credentials of clients. The registry must have been opened with the same credential book. */
  readonly credentials: CredentialBook;
  /** Access to sessions by grants. The registry must have been opened with the same access. */
  readonly access?: SessionAccess;
  /** Functions that the server calls when it starts, at intervals, and when it stops. */
  readonly lifecycle: Pick<SessionRegistry, "recover" | "sweep" | "drain" | "close">;
  /** The push configs. If absent, requests about push are refused. */
  readonly pushes?: ServerPushConfigs;
  /** Gets the session that all clients of a live endpoint share. */
  readonly shared?: () => Promise<SharedSession>;
  /** The open live sessions, if the endpoint serves several. `shared` then gets the session that was opened first. */
  readonly live?: LiveSessions;
}
