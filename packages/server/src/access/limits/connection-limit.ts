import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { ERROR_CODES, ProtocolError } from "@dt/schema";
import { rpcFailure } from "@dt/schema/wire";
import type { RequestHandler } from "express";

/** Limits the sockets of a server. */
export interface ConnectionLimit {
  /** Counts a socket that was accepted. */
  take(socket: Socket): void;
  /** Counts a request that becomes a WebSocket; its socket is in use from then on. */
  hold(request: IncomingMessage): void;
  /** Throws `agent-busy` for a socket beyond the limit. */
  check(socket: Socket): void;
  /** Answers requests of a socket beyond the limit with `agent-busy`, and closes the socket. */
  readonly middleware: RequestHandler;
  /** Number of sockets beyond which Node drops new ones without an answer. */
  readonly hardLimit: number;
}

/** Number of sockets beyond the limit that get an answer at the same time. */
const MARGIN = 32;
/** Time that such a socket may take to send its request. */
const PATIENCE_MS = 1_000;
/** Number of requests that one socket may have under way (HTTP pipelining). */
const MAX_PIPELINED = 32;

/**
 * Creates a limit on the sockets that are open at once.
 *
 * At the limit, a new socket replaces an unused one: first the one that has been idle longest since its last
 * answer, then the one that has been open longest without a request. If all are in use (a request is under way, or
 * it is a WebSocket), the new one is refused.
 *
 * A socket with too many requests under way is closed. Node parses all requests of one chunk before it does
 * anything else, so a thousand of them would block the server. (RFC 9112, 9.3.2)
 */
export function createConnectionLimit(maxConnections: number): ConnectionLimit {
  /** Number of requests under way, by socket. */
  const open = new Map<Socket, number>();
  // Both sets are in the order in which their sockets are replaced.
  const idle = new Set<Socket>();
  const unused = new Set<Socket>();
  const refused = new WeakSet<Socket>();
  const answered = new WeakSet<Socket>();

  function use(socket: Socket): void {
    const requests = open.get(socket);
    if (requests === undefined) return;
    open.set(socket, requests + 1);
    idle.delete(socket);
    unused.delete(socket);
    if (requests >= MAX_PIPELINED) socket.destroy();
  }

  function release(socket: Socket): void {
    const requests = open.get(socket);
    if (requests === undefined) return;
    open.set(socket, requests - 1);
    if (requests === 1) idle.add(socket);
  }

  function forget(socket: Socket): void {
    open.delete(socket);
    idle.delete(socket);
    unused.delete(socket);
  }

  function makeRoom(): void {
    const [replaced] = idle.size > 0 ? idle : unused;
    if (replaced === undefined) return;
    forget(replaced);
    replaced.destroy();
  }

  function check(socket: Socket): void {
    if (!refused.has(socket)) return;
    throw new ProtocolError(
      "agent-busy",
      `${maxConnections} connections are open already; close one`,
      { data: { retryAfterMs: 1_000 } },
    );
  }

  return {
    hardLimit: maxConnections + MARGIN,
    check,
    hold: ({ socket }) => use(socket),
    take(socket) {
      // A request with an unsupported upgrade emits its socket twice.
      if (open.has(socket) || refused.has(socket)) return;
      if (open.size >= maxConnections) makeRoom();
      if (open.size < maxConnections) {
        open.set(socket, 0);
        unused.add(socket);
        socket.once("close", () => forget(socket));
        return;
      }
      refused.add(socket);
      const closing = setTimeout(() => socket.destroy(), PATIENCE_MS);
      socket.once("close", () => clearTimeout(closing));
    },
    middleware(request, response, next) {
      const { socket } = request;
      if (answered.has(socket)) return;
      try {
        check(socket);
      } catch (reason) {
        answered.add(socket);
        response.setHeader("Connection", "close");
        response.setHeader("Retry-After", "1");
        response.status(ERROR_CODES["agent-busy"].http).json(rpcFailure(null, reason));
        return;
      }
      use(socket);
      response.once("close", () => release(socket));
      // Node parses all requests of a chunk, also after the first of them closed the socket.
      if (!socket.destroyed) next();
    },
  };
}
