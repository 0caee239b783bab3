import { once } from "node:events";
import type { Server } from "node:http";
import type { GrpcServer } from "../grpc/create-grpc-server.js";
import type { Stopping } from "../rpc/stopping.js";
import type { SessionRegistry } from "../sessions/session-registry.js";
import type { OpenResponses } from "./sockets/open-responses.js";

/** Options of {@link closeGracefully}. */
export interface GracefulClose {
  readonly server: Server;
  readonly responses: OpenResponses;
  readonly sockets: { close(): Promise<void> };
  /** The gRPC server, if there is one. */
  readonly grpc: Pick<GrpcServer, "close" | "destroy"> | undefined;
  readonly stopping: Stopping;
  readonly sessions: Pick<SessionRegistry, "drain" | "close">;
  /** Maximum time that turns may still run. */
  readonly graceMs: number;
}

/** Time that clients may take to read the end of their streams. */
const END_CLIENTS_MS = 1_500;

/**
 * Refuses new prompts and lets turns finish. Then it answers waiting requests, ends streams with a hint to reconnect,
 * stops listening, and stops the turns that still run. Resolves when everything is committed. The next server treats
 * stopped turns like turns that a restart interrupted.
 */
export async function closeGracefully(options: GracefulClose): Promise<void> {
  const { server, sessions, graceMs } = options;
  const closed = once(server, "close");
  // The server still listens meanwhile, so that `/health` answers 503 and clients can answer open questions.
  await within(graceMs, sessions.drain());
  await within(END_CLIENTS_MS, endClients(options));
  server.close();
  server.closeAllConnections();
  options.grpc?.destroy();
  await closed;
  await sessions.close();
}

async function endClients(options: GracefulClose): Promise<void> {
  const { stopping, responses, sockets, grpc } = options;
  await stopping.stop();
  // This waits for one iteration of the event loop, in which the calls that were just stopped write their answers.
  await new Promise<void>((resolve) => setImmediate(resolve));
  await Promise.all([responses.end(), sockets.close(), grpc?.close()]);
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, timeout]);
  clearTimeout(timer);
}
