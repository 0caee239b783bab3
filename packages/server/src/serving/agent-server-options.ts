import type { IncomingMessage } from "node:http";
import type { AgentSettings, Caller, ExtensionUris, OpenAgent, SlashCommand } from "@dt/schema";
import type { Limits } from "../access/limits/limits.js";
import type { Logger } from "../logging/logger.js";
import type { Metrics } from "../metrics/metrics.js";
import type { PushOptions } from "../push/open-push.js";
import type { SessionStore } from "../store/session-store.js";

/** What a server is made of. */
export interface AgentServerOptions {
  readonly openAgent: OpenAgent;
  /** Where sessions are kept; the server closes it. */
  readonly store: SessionStore;
  /** What clients without our extension work with. */
  readonly defaultSettings: AgentSettings;
  /** The directories under which a client may choose its workspace. */
  readonly workspaceRoots: readonly string[];
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** Default: 0, any free one. */
  readonly port?: number;
  readonly name?: string;
  readonly description?: string;
  readonly version?: string;
  readonly uris?: ExtensionUris;
  readonly isExtensionRequired?: boolean;
  readonly allowedHosts?: readonly string[];
  /** Origins of web pages that may use the server, as a browser names them. Default: none. */
  readonly allowedOrigins?: readonly string[];
  /** The largest body, and the largest frame, that is read. Default: 10 MiB. */
  readonly maxBodyBytes?: number;
  /** How much is taken on at once; what is left out has a generous default. */
  readonly limits?: Partial<Limits>;
  /** How receivers are called back; false: nobody is. Default: those on the public internet. */
  readonly push?: PushOptions | false;
  /** The slash commands of a session that does not exist yet. Default: none. */
  readonly listCommands?: () => Promise<readonly SlashCommand[]>;
  /** How often sessions are looked through for those that nobody uses. Default: 30 s. */
  readonly sweepMs?: number;
  /** The wall clock. Default: the system's. */
  readonly now?: () => Date;
  /** Milliseconds since some moment, which no change of the wall clock moves. Default: Node's own. */
  readonly elapsedMs?: () => number;
  /** Told how many clients watch, sockets and streams, whenever that changes. */
  readonly onClientsChange?: (count: number) => void;
  /** Who calls. Default: everyone on this machine is the caller "local". */
  readonly authenticate?: (request: IncomingMessage) => Caller;
  /** Removes what the agent keeps of a session beside the store, once that was deleted. */
  readonly onForgotten?: (contextId: string) => Promise<void>;
  /** What is told of all that happens, and shown at `/metrics`. Default: nothing is counted. */
  readonly metrics?: Metrics;
  /** Where requests and faults are logged. Default: nowhere. */
  readonly logger?: Logger;
  /** Told of faults that are the server's own, beside the log. */
  readonly onFault?: (reason: unknown) => void;
}

/** A server that listens. */
export interface AgentServer {
  /** Where it is reached, ending in a slash. */
  readonly url: string;
  readonly port: number;
  /** How many clients watch at the moment: sockets, and streams of events. */
  countClients(): number;
  /**
   * Stops accepting, lets turns finish for `graceMs` (default: 0), ends streams with a hint to
   * reconnect, stops every session, and resolves when all is committed.
   */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}
