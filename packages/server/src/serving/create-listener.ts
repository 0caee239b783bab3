import type { Server } from "node:http";
import express, { type Express } from "express";
import type { JwtAuthentication } from "../access/auth/jwt-authentication.js";
import type { LocalToken } from "../access/auth/local-token.js";
import { createTokenAuthority, type TokenAuthority } from "../access/auth/token-authority.js";
import { healthRoute } from "../access/health-route.js";
import { type ConnectionLimit, createConnectionLimit } from "../access/limits/connection-limit.js";
import { DEFAULT_LIMITS, type Limits } from "../access/limits/limits.js";
import { createUnfinishedBytes } from "../access/limits/unfinished-bytes.js";
import { findClientAddress } from "../access/source/client-address.js";
import { guardSource } from "../access/source/guard-source.js";
import {
  isLoopback,
  type LoopbackGuardOptions,
  type OwnPages,
} from "../access/source/loopback-guard.js";
import { type AuditLog, createAuditLog } from "../audit/audit-log.js";
import { auditSource } from "../audit/audit-requests.js";
import { toClock } from "../clock.js";
import type { GrpcServer } from "../grpc/create-grpc-server.js";
import { admitRequest, requireRole } from "../http/admit-request.js";
import { createHttpApp, type HttpAppOptions } from "../http/create-http-app.js";
import { errorRoute } from "../http/error-route.js";
import { silentLogger } from "../logging/logger.js";
import { requestLog } from "../logging/request-log.js";
import { metricsRoute } from "../metrics/metrics-route.js";
import { createStopping, type Stopping } from "../rpc/stopping.js";
import { attachWebSocket, type WebSocketAttachment } from "../ws/attach-websocket.js";
import { toHttpOptions } from "./http-options.js";
import { readGauges } from "./read-gauges.js";
import type { ServerOptions } from "./server-options.js";
import { createHttpServer } from "./sockets/create-http-server.js";
import { createOpenResponses, type OpenResponses } from "./sockets/open-responses.js";
import type { TlsContent } from "./sockets/tls-files.js";

/** The HTTP server and its WebSockets. It does not listen yet. */
export interface Listener {
  readonly server: Server;
  readonly responses: OpenResponses;
  readonly sockets: WebSocketAttachment;
  readonly stopping: Stopping;
  readonly tokens: TokenAuthority;
  readonly audit: AuditLog;
  readonly state: ListenerState;
  /** Creates the gRPC server. Its module is loaded only here, because most installations do not use gRPC. */
  createGrpc(): Promise<GrpcServer>;
  /** Number of clients: sockets, and streams of events. */
  countClients(): number;
  /**
   * Calls `onClientsChange` with the number of clients. Call it when this number, or the mode of a client, may have
   * changed.
   */
  notifyClientsChange(): void;
}

/** The state of a listener, which changes when the server listens and when it stops. */
export interface ListenerState {
  /** The address of the server; empty until it listens. */
  url: string;
  /** Host and port of the gRPC server; undefined until it listens. */
  grpcAddress: string | undefined;
  /** True once the server has begun to stop. */
  isStopping: boolean;
}

/** Parts of a listener that are loaded before it is created. */
export interface ListenerParts {
  readonly tls: TlsContent | undefined;
  readonly jwt: JwtAuthentication | undefined;
  /** The token of the agent file; undefined if there is no such file. */
  readonly localToken: LocalToken | undefined;
}

/** Creates the HTTP server with its routes and WebSockets. */
export function createListener(options: ServerOptions, parts: ListenerParts): Listener {
  const { tls, jwt, localToken } = parts;
  const limits: Limits = { ...DEFAULT_LIMITS, ...options.limits };
  const state: ListenerState = { url: "", grpcAddress: undefined, isStopping: false };
  let grpc: GrpcServer | undefined;
  const countClients = () => responses.streamCount + sockets.size + (grpc?.streamCount ?? 0);
  const notifyClientsChange = () => options.onClientsChange?.(countClients());
  const responses = createOpenResponses(notifyClientsChange);
  const connections = createConnectionLimit(limits.maxConnections);
  const stopping = createStopping();
  const onFault = options.onFault ?? (() => {});
  const { store, credentials } = options;
  const tokens = createTokenAuthority({ store, credentials, clock: toClock(options), onFault });
  const audit = createAuditLog({ store, clock: toClock(options), onFault });
  const trustsProxy = options.trustsProxy === true;
  const http = toHttpOptions(options, {
    stopping,
    audit,
    guard: {
      ...toGuard(options),
      onRefused: (request, reason) => auditSource(request, reason, { audit, trustsProxy }),
    },
    unfinished: createUnfinishedBytes(
      Math.max(limits.maxUnfinishedBytes, 2 * (options.maxBodyBytes ?? 0)),
    ),
    onFault,
    tokens,
    jwt,
    localToken,
    countClients,
    addresses: state,
  });
  const countSockets = () => sockets.size;
  const app = createApp(options, { http, connections, responses, state, countSockets });
  const server = createHttpServer(tls, {
    // A socket with too many unanswered requests is destroyed. Its remaining requests are dropped here.
    onRequest: (request, response) => void (request.socket.destroyed || app(request, response)),
    onSocket: connections.add,
  });
  const sockets = attachSockets(server, options, {
    http,
    connections,
    countClients,
    notifyClientsChange,
  });
  server.maxConnections = connections.hardLimit;
  async function createGrpc(): Promise<GrpcServer> {
    const { createGrpcServer } = await import("../grpc/create-grpc-server.js");
    const { logger = silentLogger } = options;
    const parts = { limit: connections, logger, onStreamsChange: notifyClientsChange };
    grpc = createGrpcServer({ ...http, ...parts, ...(tls !== undefined && { tls }) });
    return grpc;
  }
  const counting = { countClients, notifyClientsChange };
  return { server, responses, sockets, stopping, tokens, audit, state, createGrpc, ...counting };
}

/** Returns the hosts and origins that requests may name. */
function toGuard(options: ServerOptions): LoopbackGuardOptions {
  const { host = "127.0.0.1", publicUrl, allowedHosts = [], allowedOrigins = [] } = options;
  const own = publicUrl === undefined ? [] : [new URL(publicUrl).hostname];
  return {
    allowedHosts: [...allowedHosts, ...own, host].map((name) => name.toLowerCase()),
    allowedOrigins,
    // The host check guards against DNS rebinding, which needs a domain name, so an IP address as the host is harmless.
    // The server cannot know by which addresses others reach this machine, so it accepts any.
    acceptsAddresses: !isLoopback(host),
    ...(options.join !== undefined && { ownPages: toOwnPages(options) }),
  };
}

function toOwnPages({ tls, publicUrl }: ServerOptions): OwnPages {
  return {
    scheme: tls === undefined ? "http" : "https",
    ...(publicUrl !== undefined && { publicOrigin: new URL(publicUrl).origin }),
  };
}

interface AppParts {
  readonly http: HttpAppOptions;
  readonly connections: ConnectionLimit;
  readonly responses: OpenResponses;
  readonly state: Readonly<ListenerState>;
  countSockets(): number;
}

function createApp(options: ServerOptions, parts: AppParts): Express {
  const { http, connections, responses, state } = parts;
  const { store, sessions, metrics, logger = silentLogger } = options;
  const clock = toClock(options);
  const startedAt = clock.elapsedMs();
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.use(
    requestLog(logger, clock, (request) => findClientAddress(request, options)),
    connections.middleware,
    responses.middleware,
  );
  const health = healthRoute({
    store,
    uptime: () => Math.round((clock.elapsedMs() - startedAt) / 100) / 10,
    isStopping: () => state.isStopping,
  });
  app.get("/health", guardSource(http.guard), health);
  if (metrics !== undefined) {
    const read = () =>
      readGauges(sessions.counters, store, {
        sockets: parts.countSockets(),
        countPushes: async () => (await options.pushes?.countPending()) ?? 0,
      });
    const admit = [guardSource(http.guard), admitRequest(http), requireRole("read-metrics")];
    app.get("/metrics", ...admit, metricsRoute(metrics, read), errorRoute(http.onFault));
  }
  app.use(createHttpApp(http));
  return app;
}

interface SocketParts extends Pick<Listener, "countClients" | "notifyClientsChange"> {
  readonly http: HttpAppOptions;
  readonly connections: ConnectionLimit;
}

function attachSockets(
  server: Server,
  options: ServerOptions,
  { http, connections, countClients, notifyClientsChange }: SocketParts,
): WebSocketAttachment {
  const { logger = silentLogger } = options;
  const note = (name: string, text: string) => {
    logger.debug({ name, clients: countClients() }, text);
    notifyClientsChange();
  };
  return attachWebSocket(server, {
    ...http,
    logger,
    maxFrameBytes: http.maxBodyBytes,
    authenticate(request) {
      connections.check(request.socket);
      connections.markUpgraded(request);
      return http.authenticate(request);
    },
    onConnect: ({ name }) => note(name, "A2A client connected"),
    onDisconnect: ({ name }) => note(name, "A2A client disconnected"),
  });
}
