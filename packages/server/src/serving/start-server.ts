import { createServer } from "node:http";
import express from "express";
import { createConnectionLimit } from "../access/limits/connection-limit.js";
import type { CredentialBook } from "../access/credential-book.js";
import { guardSource } from "../access/source/guard-source.js";
import { healthRoute } from "../access/health-route.js";
import { defaultLimits } from "../access/limits/limits.js";
import { createUnfinishedBytes } from "../access/limits/unfinished-bytes.js";
import { createHttpApp } from "../http/create-http-app.js";
import { silentLogger } from "../logging/logger.js";
import { requestLog } from "../logging/request-log.js";
import { metricsRoute } from "../metrics/metrics-route.js";
import type { PushConfigs } from "../rpc/push/push-port.js";
import { createStopping } from "../rpc/stopping.js";
import type { SharedSession } from "../rpc/tasks/shared-session.js";
import type { SessionRegistry } from "../sessions/session-registry.js";
import { attachWebSocket } from "../ws/attach-websocket.js";
import type { AgentServer, AgentServerOptions } from "./agent-server-options.js";
import { closeGracefully } from "./close-gracefully.js";
import { toHttpOptions } from "./http-options.js";
import { listen, urlOf } from "./listen.js";
import { createOpenResponses } from "./open-responses.js";
import { readGauges } from "./read-gauges.js";

/** What a socket may hold unsent: enough to keep it going, and what a client that never reads costs. */
const SOCKET_BYTES = 128 * 1024;

/** What a server stands on: sessions that are opened already, and what it does with them. */
export interface ServerOptions extends Omit<AgentServerOptions, "openAgent" | "push"> {
  readonly sessions: SessionRegistry;
  /** The credentials that modes are held by; the sessions were opened with it. */
  readonly credentials: CredentialBook;
  /** What the server does with the sessions as it starts, runs and stops. */
  readonly lifecycle: Pick<SessionRegistry, "recover" | "sweep" | "drain" | "close">;
  /** Those who call back; without them, push configs are refused. */
  readonly pushes?: PushConfigs;
  /** On a live endpoint: the session that everyone shares. */
  readonly shared?: () => Promise<SharedSession>;
}

/** Starts to serve sessions over A2A. */
export async function startServer(options: ServerOptions): Promise<AgentServer> {
  const { host = "127.0.0.1", port = 0, logger = silentLogger } = options;
  const { sessions, lifecycle, credentials } = options;
  const onFault = options.onFault ?? (() => {});
  const countClients = () => responses.streams + sockets.size;
  const onClientsChange = () => options.onClientsChange?.(countClients());
  const responses = createOpenResponses(onClientsChange);
  const connections = createConnectionLimit(
    options.limits?.maxConnections ?? defaultLimits.maxConnections,
  );
  const unfinished = createUnfinishedBytes(
    Math.max(
      options.limits?.maxUnfinishedBytes ?? defaultLimits.maxUnfinishedBytes,
      2 * (options.maxBodyBytes ?? 0),
    ),
  );
  const stopping = createStopping();
  const guard = {
    allowedHosts: options.allowedHosts ?? [],
    allowedOrigins: options.allowedOrigins ?? [],
  };
  const startedAt = performance.now();
  let isStopping = false;

  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.use(requestLog(logger), connections.middleware, responses.middleware);
  app.get(
    "/health",
    guardSource(guard),
    healthRoute({
      store: options.store,
      uptime: () => Math.round((performance.now() - startedAt) / 100) / 10,
      isStopping: () => isStopping,
    }),
  );
  if (options.metrics !== undefined) {
    const read = () =>
      readGauges(sessions.counters, options.store, {
        sockets: sockets.size,
        countPushes: async () => (await options.pushes?.countPending()) ?? 0,
      });
    app.get("/metrics", guardSource(guard), metricsRoute(options.metrics, read));
  }
  const parts = toHttpOptions(options, {
    stopping,
    guard,
    unfinished,
    onFault,
    countClients,
    url: () => url,
  });
  app.use(createHttpApp(parts));
  const server = createServer({ highWaterMark: SOCKET_BYTES }, (request, response) => {
    // A socket that was closed for asking too much at once: the rest of its requests cost next to nothing.
    if (!request.socket.destroyed) app(request, response);
  });
  const sockets = attachWebSocket(server, {
    ...parts,
    logger,
    maxFrameBytes: parts.maxBodyBytes,
    authenticate(request) {
      connections.check(request.socket);
      connections.hold(request);
      return parts.authenticate(request);
    },
    onConnect({ name }) {
      logger.debug({ name, clients: countClients() }, "A2A client connected");
      onClientsChange();
    },
    onDisconnect({ name }) {
      logger.debug({ name, clients: countClients() }, "A2A client disconnected");
      onClientsChange();
    },
  });
  server.on("connection", connections.take);
  server.maxConnections = connections.hardLimit;
  let url = "";
  try {
    await lifecycle.recover();
    const address = await listen(server, host, port);
    url = urlOf(address);
    logger.info({ url }, "listening");
  } catch (error) {
    await lifecycle.close();
    throw error;
  }
  const sweep = () => {
    credentials.sweep();
    void lifecycle.sweep().catch(onFault);
  };
  // Whoever shows the modes of clients hears that one has ended.
  const stopObserving = credentials.observeEnds(onClientsChange);
  // At once too: what was due while nothing ran.
  sweep();
  const sweeping = setInterval(sweep, options.sweepMs ?? 30_000);
  sweeping.unref();
  const close = async (graceMs: number) => {
    isStopping = true;
    clearInterval(sweeping);
    stopObserving();
    logger.info({ graceMs, ...sessions.counters }, "stopping");
    await closeGracefully({
      server,
      responses,
      sockets,
      stopping,
      sessions: lifecycle,
      graceMs,
    });
    logger.info({}, "stopped");
  };
  let closing: Promise<void> | undefined;
  return {
    url,
    port: Number(new URL(url).port),
    countClients,
    close({ graceMs = 0 } = {}) {
      closing ??= close(graceMs);
      return closing;
    },
  };
}
