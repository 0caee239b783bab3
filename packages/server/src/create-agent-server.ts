import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type AgentSettings,
  defaultExtensionUris,
  type ExtensionUris,
  type Principal,
} from "@dt/schema";
import { isLoopback } from "./access/loopback-guard.js";
import type { OpenAgent } from "./agent-port.js";
import { SetupError } from "./errors/setup-error.js";
import { createHttpApp } from "./http/create-http-app.js";
import { openSessionRegistry } from "./sessions/session-registry.js";
import type { SessionStore } from "./store/session-store.js";

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
  readonly allowedOrigins?: readonly string[];
  /** The largest body that is read. Default: 10 MiB. */
  readonly maxBodyBytes?: number;
  /** Who calls. Default: everyone on this machine is the principal "local". */
  readonly authenticate?: (request: IncomingMessage) => Principal;
  /** Told of faults that are the server's own. */
  readonly onFault?: (reason: unknown) => void;
}

/** A server that listens. */
export interface AgentServer {
  /** Where it is reached, ending in a slash. */
  readonly url: string;
  readonly port: number;
  /** Stops accepting, stops every session, and resolves when all is committed. */
  close(): Promise<void>;
}

/** Starts to serve an agent over A2A. */
export async function createAgentServer(options: AgentServerOptions): Promise<AgentServer> {
  const { host = "127.0.0.1", port = 0, uris = defaultExtensionUris } = options;
  const { isExtensionRequired = false, onFault = () => {} } = options;
  if (!isLoopback(host) && options.authenticate === undefined) {
    throw new SetupError(
      `listening on ${host} lets others in; that needs authentication, and none is set up`,
    );
  }
  const sessions = openSessionRegistry(options);
  await sessions.recover();
  const app = createHttpApp({
    services: {
      sessions,
      workspaceRoots: options.workspaceRoots,
      defaultSettings: options.defaultSettings,
      createId: randomUUID,
      isExtensionRequired,
      uris,
    },
    authenticate: options.authenticate ?? localPrincipal,
    guard: {
      allowedHosts: options.allowedHosts ?? [],
      allowedOrigins: options.allowedOrigins ?? [],
    },
    maxBodyBytes: options.maxBodyBytes ?? 10 * 1024 * 1024,
    onFault,
    card: () => ({
      name: options.name ?? "dt",
      description: options.description ?? "A coding agent that any client can drive and watch.",
      version: options.version ?? "0.1.0",
      url: addressOf(server.address() as AddressInfo),
      uris,
      isExtensionRequired,
    }),
  });
  const server = createServer(app);
  server.listen(port, host);
  try {
    await once(server, "listening");
  } catch (cause) {
    await sessions.close();
    throw toSetupError(cause, host, port);
  }
  const address = server.address() as AddressInfo;
  return {
    url: addressOf(address),
    port: address.port,
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
      await sessions.close();
    },
  };
}

/** Everyone on this machine is one principal; the name is only for showing. */
function localPrincipal(request: IncomingMessage): Principal {
  const name = [request.headers["x-dt-client"]]
    .flat()[0]
    ?.replace(/[^\w .@/()-]/g, "")
    .slice(0, 64);
  return { principal: "local", name: name || "local" };
}

function addressOf({ address, port, family }: AddressInfo): string {
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}/`;
}

function toSetupError(cause: unknown, host: string, port: number): Error {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (code === "EADDRINUSE")
    return new SetupError(`port ${port} on ${host} is already in use`, { cause });
  if (code === "EACCES")
    return new SetupError(`port ${port} on ${host} may not be used by this user`, { cause });
  return new SetupError(`cannot listen on ${host}:${port}: ${message}`, { cause });
}
