import type { Server as TlsServer } from "node:tls";
import { createLocalToken } from "../access/auth/local-token.js";
import { openAgentFile } from "../agent-file/open-agent-file.js";
import { toClock } from "../clock.js";
import type { GrpcServer } from "../grpc/create-grpc-server.js";
import { silentLogger } from "../logging/logger.js";
import type { AgentServer } from "./agent-server-options.js";
import { closeGracefully } from "./close-gracefully.js";
import { createListener, type Listener, type ListenerParts } from "./create-listener.js";
import { needsToken } from "./read-card.js";
import type { ServerOptions } from "./server-options.js";
import { authorityOf, listen } from "./sockets/listen.js";
import { readTlsFiles, watchTlsFiles } from "./sockets/tls-files.js";

const SWEEP_MS = 30_000;

/** Starts a server on a session registry that is open already. */
export async function startServer(options: ServerOptions): Promise<AgentServer> {
  const { host = "127.0.0.1", port = 0, logger = silentLogger, sessions, lifecycle } = options;
  const parts = await loadParts(options);
  const listener = createListener(options, parts);
  const { server, state, countClients } = listener;
  let grpc: GrpcServer | undefined;
  try {
    await lifecycle.recover();
    // gRPC listens first, so that the first card that HTTP serves contains the address of gRPC.
    grpc = await listenForGrpc(listener, options);
    const scheme = options.tls === undefined ? "http" : "https";
    state.url = `${scheme}://${authorityOf(await listen(server, host, port))}/`;
  } catch (error) {
    grpc?.destroy();
    listener.tokens.close();
    await listener.audit.close();
    await lifecycle.close();
    throw error;
  }
  const { url, grpcAddress } = state;
  logger.info({ url, ...(grpcAddress !== undefined && { grpcAddress }) }, "listening");
  const agentFile = await openAgentFile({ ...options, url, token: parts.localToken?.text });
  const stopSweeping = startSweeping(options, listener);
  const stopWatching = watchCertificate(options, [
    server,
    ...(grpc === undefined ? [] : [grpc.server]),
  ]);

  async function close(graceMs: number): Promise<void> {
    state.isStopping = true;
    stopSweeping();
    stopWatching();
    // The agent file is removed first, so that no new client finds a stopping server.
    await agentFile?.remove().catch(options.onFault ?? (() => {}));
    logger.info({ graceMs, ...sessions.counters }, "stopping");
    // The token authority closes last, because tokens may still end while turns finish.
    const closing = {
      drain: () => lifecycle.drain(),
      async close() {
        // The audit log still holds records that must be stored before the store closes.
        await listener.audit.close();
        await lifecycle.close();
      },
    };
    await closeGracefully({ ...listener, grpc, sessions: closing, graceMs }).finally(
      listener.tokens.close,
    );
    logger.info({}, "stopped");
  }

  let closing: Promise<void> | undefined;
  return {
    url,
    port: Number(new URL(url).port),
    requiresToken: needsToken(options),
    grpcAddress,
    countClients,
    countTurns: () => sessions.counters.working,
    close({ graceMs = 0 } = {}) {
      closing ??= close(graceMs);
      return closing;
    },
  };
}

/** Starts the gRPC server if the options name its port. */
async function listenForGrpc(
  { createGrpc, state }: Listener,
  { grpcPort, host = "127.0.0.1" }: ServerOptions,
): Promise<GrpcServer | undefined> {
  if (grpcPort === undefined) return undefined;
  const grpc = await createGrpc();
  try {
    state.grpcAddress = authorityOf(await listen(grpc.server, host, grpcPort));
  } catch (error) {
    grpc.destroy();
    throw error;
  }
  return grpc;
}

async function loadParts(options: ServerOptions): Promise<ListenerParts> {
  const { tls, jwt, lifecycle, agentFile } = options;
  try {
    return {
      localToken: agentFile && createLocalToken(),
      tls: tls && (await readTlsFiles(tls)),
      // The library of web tokens is loaded lazily, because most servers accept none.
      jwt:
        jwt &&
        (await import("../access/auth/jwt-authentication.js")).createJwtAuthentication(
          jwt,
          toClock(options),
        ),
    };
  } catch (reason) {
    await lifecycle.close();
    throw reason;
  }
}

/** Uses a changed certificate for new connections. Returns a function that ends the watch. */
function watchCertificate(
  { tls, logger = silentLogger, onFault = () => {} }: ServerOptions,
  servers: readonly object[],
): () => void {
  if (tls === undefined) return () => {};
  return watchTlsFiles(tls, {
    onFault,
    onChange(content) {
      for (const server of servers) (server as TlsServer).setSecureContext(content);
      logger.info({ certFile: tls.certFile }, "the certificate was read again");
    },
  });
}

/** Ends idle credentials and sweeps sessions, now and at intervals. Returns a function that ends the sweeping. */
function startSweeping(
  { credentials, lifecycle, onFault = () => {}, sweepMs = SWEEP_MS }: ServerOptions,
  { notifyClientsChange }: Pick<Listener, "notifyClientsChange">,
): () => void {
  const sweep = () => {
    credentials.sweep();
    void lifecycle.sweep().catch(onFault);
  };
  // The mode of a client ends with its credential, so the end of a credential is reported as a change.
  const stopObserving = credentials.subscribeToEnds(notifyClientsChange);
  // The first sweep runs at once, because sessions may have expired while no server ran.
  sweep();
  const timer = setInterval(sweep, sweepMs).unref();
  return () => {
    clearInterval(timer);
    stopObserving();
  };
}
