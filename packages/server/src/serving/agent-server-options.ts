import type {
  AgentSettings,
  ExtensionUris,
  OpenAgent,
  ServerPolicy,
  SessionEvent,
  SlashCommand,
} from "@dt/schema";
import type { Authenticate } from "../access/auth/authenticate.js";
import type { JwtOptions } from "../access/auth/jwt-authentication.js";
import type { Limits } from "../access/limits/limits.js";
import type { CardSkill } from "../agent-card/build-agent-card.js";
import type { AgentFileOptions } from "../agent-file/write-agent-file.js";
import type { Logger } from "../logging/logger.js";
import type { Metrics } from "../metrics/metrics.js";
import type { JoinOptions } from "../pairing/join-page.js";
import type { PushOptions } from "../push/open-push.js";
import type { SecretKeyOptions } from "../secrets/secret-keys.js";
import type { SessionStore } from "../store/session-store.js";
import type { TlsFiles } from "./sockets/tls-files.js";

/** Options of `createAgentServer`. */
export interface AgentServerOptions {
  readonly openAgent: OpenAgent;
  /** The store of sessions. The server closes it. */
  readonly store: SessionStore;
  /** Settings of sessions whose client does not use the development-tool extension. */
  readonly defaultSettings: AgentSettings;
  /** Directories under which clients may choose a workspace. */
  readonly workspaceRoots: readonly string[];
  /**
   * Limits that no user can loosen. Requests that ask for more are refused, and clients can read the limits. The agent
   * must apply these limits too. Default: no limits.
   */
  readonly policy?: ServerPolicy;
  /**
   * Keys that encrypt secrets of clients in the store: model keys, MCP servers with variables or headers, tokens
   * and credentials of push configs. Default: such secrets stay in memory and end with the process.
   */
  readonly secretKeys?: SecretKeyOptions;
  /** Address or name to listen on. Default: 127.0.0.1. */
  readonly host?: string;
  /** Port to listen on; 0 for any free port. Default: 0. */
  readonly port?: number;
  /** Port of the gRPC binding, on the same host; 0 for any free port. Default: no gRPC. */
  readonly grpcPort?: number;
  readonly name?: string;
  readonly description?: string;
  readonly version?: string;
  readonly uris?: ExtensionUris;
  readonly isExtensionRequired?: boolean;
  /** Media types that prompts may contain, such as `application/pdf` or `image/*`. Default: text, JSON and images. */
  readonly inputModes?: readonly string[];
  /** Media types that replies and artifacts may contain, for the card. Default: text and JSON. */
  readonly outputModes?: readonly string[];
  /** Skills of the agent, for the card. Default: the skill of a coding agent. */
  readonly skills?: readonly CardSkill[];
  /** Host names that requests may use, in addition to loopback and the host of `publicUrl`. Default: none. */
  readonly allowedHosts?: readonly string[];
  /** Origins of web pages that may use the server, such as `https://ide.example`. Default: none. */
  readonly allowedOrigins?: readonly string[];
  /** Maximum size of a body, a WebSocket frame or a gRPC message. Default: 10 MiB. */
  readonly maxBodyBytes?: number;
  /** Limits on users, sessions and connections. Each has a generous default. */
  readonly limits?: Partial<Limits>;
  /** Options of push, or false to switch push off. By default, only receivers on the public internet are called. */
  readonly push?: PushOptions | false;
  /** Lists the slash commands to offer before a session exists. Default: none. */
  readonly listCommands?: () => Promise<readonly SlashCommand[]>;
  /** Interval of sweeps, which end idle credentials and remove unused and expired sessions. Default: 30 s. */
  readonly sweepMs?: number;
  /** The wall clock. Default: that of the system. */
  readonly now?: () => Date;
  /** A monotonic clock in milliseconds. Default: `performance.now`. */
  readonly elapsedMs?: () => number;
  /**
   * Called with the number of clients (sockets and streams) when this number or the mode of a client may have
   * changed.
   */
  readonly onClientsChange?: (count: number) => void;
  /**
   * Finds the caller of a request without a token of dt. If it returns undefined, the request is refused with
   * 401. If it throws `ProtocolError("forbidden", …)`, the request is refused with 403. Default: every
   * process of this machine is the user "local", unless authentication is required.
   */
  readonly authenticate?: Authenticate;
  /** Accepts JSON Web Tokens of an identity provider, or of a proxy. Default: none. */
  readonly jwt?: JwtOptions;
  /**
   * True if requests from this machine need a token too. They always need one if `host` is not loopback, or if
   * `publicUrl` or `allowedHosts` are set. Default: false.
   */
  readonly isAuthRequired?: boolean;
  /** Serves https with the certificate in these files. They are read again after they have changed. Default: http. */
  readonly tls?: TlsFiles;
  /** True if a proxy in front of the server adds the addresses of clients to `X-Forwarded-For`. Default: false. */
  readonly trustsProxy?: boolean;
  /** Pairs devices at `/join`, each with a token of its own. Default: `/join` does not exist. */
  readonly join?: JoinOptions;
  /**
   * Writes an agent file, by which programs of the same person find the server. With the token in the file, they are
   * the user "local", even if requests from this machine need a token. Default: no file.
   */
  readonly agentFile?: AgentFileOptions;
  /**
   * Address at which clients reach the server, such as `https://dt.example/`. Default: the address that the server
   * listens on.
   */
  readonly publicUrl?: string;
  /** Called after a session was deleted, to delete files that the agent stored outside of the store. */
  readonly onSessionDeleted?: (contextId: string) => Promise<void>;
  /**
   * Called with every event of every session after its commit, and with live output. To connect an event bus, pass
   * `onEvent: bus.emit`.
   */
  readonly onEvent?: (event: SessionEvent) => void;
  /** Counts the work of the server; `/metrics` shows the counts. Default: no metrics and no such page. */
  readonly metrics?: Metrics;
  /** Logs requests and faults. Default: no log. */
  readonly logger?: Logger;
  /** Called with faults of the server, which are also logged. */
  readonly onFault?: (reason: unknown) => void;
}

/** A server that listens. */
export interface AgentServer {
  /** The address, with a slash at the end. */
  readonly url: string;
  readonly port: number;
  /** True if even requests from this machine must authenticate. */
  readonly requiresToken: boolean;
  /** Host and port of the gRPC binding; undefined if the server has no such binding. */
  readonly grpcAddress?: string | undefined;
  /** Number of clients now: sockets, and streams of events. */
  countClients(): number;
  /** Number of sessions in which a turn runs now. A turn that waits for an answer is not counted. */
  countTurns(): number;
  /**
   * Refuses new prompts and waits up to `graceMs` (default: 0) for running turns. Then it ends streams with a hint to
   * reconnect, and stops every session. Resolves when everything is committed.
   */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}
