import { once } from "node:events";
import type { Server } from "node:http";
import type { Stopping } from "../rpc/stopping.js";
import type { SessionRegistry } from "../sessions/session-registry.js";
import type { OpenResponses } from "./open-responses.js";

/** What is closed, in the order in which it is needed. */
export interface GracefulClose {
  readonly server: Server;
  readonly responses: OpenResponses;
  readonly sockets: { close(): Promise<void> };
  readonly stopping: Stopping;
  readonly sessions: Pick<SessionRegistry, "drain" | "close">;
  /** How long turns may go on. */
  readonly graceMs: number;
}

/** How long a client may take to read the end of its stream. */
const FAREWELL_MS = 1_500;

/**
 * Takes no more prompts, lets turns finish, answers who waits, ends streams with a hint to reconnect, stops listening,
 * stops what still runs, and resolves when all is committed. What was stopped goes on as after a restart.
 */
export async function closeGracefully(options: GracefulClose): Promise<void> {
  const { server, sessions, graceMs } = options;
  const closed = once(server, "close");
  // It still listens: `/health` says 503, and open questions can be answered.
  await within(graceMs, sessions.drain());
  await within(FAREWELL_MS, sayGoodbye(options));
  server.close();
  server.closeAllConnections();
  await closed;
  await sessions.close();
}

async function sayGoodbye({ stopping, responses, sockets }: GracefulClose): Promise<void> {
  await stopping.stop();
  // Answers that were just given are written in this turn of the event loop.
  await new Promise<void>((resolve) => setImmediate(resolve));
  await Promise.all([responses.end(), sockets.close()]);
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, timeout]);
  clearTimeout(timer);
}
