import type { CredentialBook } from "../access/credential-book.js";
import type { ServerPushConfigs } from "../rpc/push/push-port.js";
import type { SharedSession } from "../rpc/tasks/shared-session.js";
import type { SessionRegistry } from "../sessions/session-registry.js";
import type { AgentServerOptions } from "./agent-server-options.js";

/** Options of a server whose sessions are open already. */
export interface ServerOptions extends Omit<AgentServerOptions, "openAgent" | "push"> {
  readonly sessions: SessionRegistry;
  /** The credentials that modes belong to; the sessions were opened with the same book. */
  readonly credentials: CredentialBook;
  /** Steps that the server takes with the sessions when it starts, runs and stops. */
  readonly lifecycle: Pick<SessionRegistry, "recover" | "sweep" | "drain" | "close">;
  /** Push configs; without them, requests about push are refused. */
  readonly pushes?: ServerPushConfigs;
  /** The session that everyone shares, on a live endpoint. */
  readonly shared?: () => Promise<SharedSession>;
}
