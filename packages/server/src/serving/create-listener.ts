import { createServer, type Server } from "node:http";
import express, { type Express } from "express";
import { healthRoute } from "../access/health-route.js";
import { type ConnectionLimit, createConnectionLimit } from "../access/limits/connection-limit.js";
import { DEFAULT_LIMITS, type Limits } from "../access/limits/limits.js";
import { createUnfinishedBytes } from "../access/limits/unfinished-bytes.js";
import { guardSource } from "../access/source/guard-source.js";
import { toClock } from "../clock.js";
import type { GrpcServer } from "../grpc/create-grpc-server.js";
import { createHttpApp, type HttpAppOptions } from "../http/create-http-app.js";
import { silentLogger } from "../logging/logger.js";
import { requestLog } from "../logging/request-log.js";
import { metricsRoute } from "../metrics/metrics-route.js";
import { createStopping, type Stopping } from "../rpc/stopping.js";
import { attachWebSocket, type WebSocketAttachment } from "../ws/attach-websocket.js";
import { toHttpOptions } from "./http-options.js";
import { createOpenResponses, type OpenResponses } from "./open-responses.js";
import { readGauges } from "./read-gauges.js";
import type { ServerOptions } from "./server-options.js";

/** Maximum number of bytes that a socket buffers. A client that never reads costs this much memory. */
const SOCKET_BYTES = 128 * 1024;

/**
 * Time for which an idle connection stays open. Node's default of 5 s breaks clients that think for a while and reuse
 * their connection, and proxies that keep connections for a minute.
 */
const KEEP_ALIVE_MS = 75_000;

/** The HTTP server and its WebSockets. It does not listen yet. */
export interface Listener {
  readonly server: Server;
  readonly responses: OpenResponses;
  readonly sockets: WebSocketAttachment;
  readonly stopping: Stopping;
  readonly state: ListenerState;
  /** Loads and creates the gRPC server, which most servers do not have. It does not listen yet. */
  createGrpc(): Promise<GrpcServer>;
  /** Number of clients: sockets, and streams of events. */
  countClients(): number;
  /** Reports that the number of clients, or one of their modes, has changed. */
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

/** Creates the HTTP server with its routes and WebSockets. */
export function createListener(options: ServerOptions): Listener {
  const limits: Limits = { ...DEFAULT_LIMITS, ...options.limits };
  const state: ListenerState = { url: "", grpcAddress: undefined, isStopping: false };
  let grpc: GrpcServer | undefined;
  const countClients = () => responses.streamCount + sockets.size + (grpc?.streamCount ?? 0);
  const notifyClientsChange = () => options.onClientsChange?.(countClients());
  const responses = createOpenResponses(notifyClientsChange);
  const connections = createConnectionLimit(limits.maxConnections);
  const stopping = createStopping();
  const http = toHttpOptions(options, {
    stopping,
    guard: {
      allowedHosts: options.allowedHosts ?? [],
      allowedOrigins: options.allowedOrigins ?? [],
    },
    unfinished: createUnfinishedBytes(
      Math.max(limits.maxUnfinishedBytes, 2 * (options.maxBodyBytes ?? 0)),
    ),
    onFault: options.onFault ?? (() => {}),
    countClients,
    addresses: state,
  });
  const countSockets = () => sockets.size;
  const app = createApp(options, { http, connections, responses, state, countSockets });
  const settings = { highWaterMark: SOCKET_BYTES, keepAliveTimeout: KEEP_ALIVE_MS };
  const server = createServer(settings, (request, response) => {
    // A socket with too many unanswered requests is destroyed. Its other requests are dropped here.
    if (!request.socket.destroyed) app(request, response);
  });
  const sockets = attachSockets(server, options, {
    http,
    connections,
    countClients,
    notifyClientsChange,
  });
  server.on("connection", connections.add);
  server.maxConnections = connections.hardLimit;
  async function createGrpc(): Promise<GrpcServer> {
    const { createGrpcServer } = await import("../grpc/create-grpc-server.js");
    const { logger = silentLogger } = options;
    const parts = { limit: connections, logger, onStreamsChange: notifyClientsChange };
    grpc = createGrpcServer({ ...http, ...parts });
    return grpc;
  }
  const counting = { countClients, notifyClientsChange };
  return { server, responses, sockets, stopping, state, createGrpc, ...counting };
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
  app.use(requestLog(logger, clock), connections.middleware, responses.middleware);
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
    app.get("/metrics", guardSource(http.guard), metricsRoute(metrics, read));
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
