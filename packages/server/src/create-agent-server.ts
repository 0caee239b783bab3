import { createServer } from "node:http";
import express from "express";
import { guardSource } from "./access/guard-source.js";
import { healthRoute } from "./access/health-route.js";
import { defaultLimits } from "./access/limits.js";
import { isLoopback } from "./access/loopback-guard.js";
import { SetupError } from "./errors/setup-error.js";
import { createHttpApp } from "./http/create-http-app.js";
import { silentLogger } from "./logging/logger.js";
import { requestLog } from "./logging/request-log.js";
import type { Gauges } from "./metrics/metrics.js";
import { metricsRoute } from "./metrics/metrics-route.js";
import { createStopping } from "./rpc/stopping.js";
import type { AgentServer, AgentServerOptions } from "./serving/agent-server-options.js";
import { closeGracefully } from "./serving/close-gracefully.js";
import { toHttpOptions } from "./serving/http-options.js";
import { listen, urlOf } from "./serving/listen.js";
import { createOpenResponses } from "./serving/open-responses.js";
import { openSessionRegistry } from "./sessions/session-registry.js";
import { attachWebSocket } from "./ws/attach-websocket.js";

/** What a socket may hold unsent: enough to keep it going, and what a client that never reads costs. */
const SOCKET_BYTES = 128 * 1024;

/** Starts to serve an agent over A2A. */
export async function createAgentServer(options: AgentServerOptions): Promise<AgentServer> {
  const { host = "127.0.0.1", port = 0, logger = silentLogger } = options;
  if (!isLoopback(host) && options.authenticate === undefined) {
    throw new SetupError(
      `listening on ${host} lets others in; that needs authentication, and none is set up`,
    );
  }
  const onFault = (reason: unknown) => {
    logger.error({ error: reason }, "fault");
    options.onFault?.(reason);
  };
  const sessions = openSessionRegistry({ ...options, onFault });
  const responses = createOpenResponses();
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
  app.use(requestLog(logger), responses.middleware);
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
    app.get("/metrics", guardSource(guard), metricsRoute(options.metrics, readGauges));
  }
  const parts = toHttpOptions(options, { sessions, stopping, guard, onFault, url: () => url });
  app.use(createHttpApp(parts));
  const server = createServer({ highWaterMark: SOCKET_BYTES }, app);
  const sockets = attachWebSocket(server, {
    ...parts,
    maxFrameBytes: parts.maxBodyBytes,
    onConnect: () => logger.debug({}, "A2A client connected"),
  });
  async function readGauges(): Promise<Gauges> {
    const { inMemory, working, waitingPrompts, queuedPrompts, observers, lag } = sessions.counters;
    const { active, total } = await options.store.countTasks();
    return {
      sessionsInMemory: inMemory,
      turnsRunning: working,
      promptsWaiting: waitingPrompts,
      promptsQueued: queuedPrompts,
      observers,
      observerLag: lag,
      sockets: sockets.size,
      activeTasks: active,
      totalTasks: total,
    };
  }
  server.maxConnections = options.limits?.maxConnections ?? defaultLimits.maxConnections;
  let url = "";
  try {
    await sessions.recover();
    const address = await listen(server, host, port);
    url = urlOf(address);
    logger.info({ url }, "listening");
  } catch (error) {
    await sessions.close();
    throw error;
  }
  const sweeping = setInterval(
    () => void sessions.sweep().catch(onFault),
    options.sweepMs ?? 30_000,
  );
  sweeping.unref();
  const close = async (graceMs: number) => {
    isStopping = true;
    clearInterval(sweeping);
    logger.info({ graceMs, ...sessions.counters }, "stopping");
    await closeGracefully({ server, responses, sockets, stopping, sessions, graceMs });
    logger.info({}, "stopped");
  };
  let closing: Promise<void> | undefined;
  return {
    url,
    port: Number(new URL(url).port),
    close({ graceMs = 0 } = {}) {
      closing ??= close(graceMs);
      return closing;
    },
  };
}
