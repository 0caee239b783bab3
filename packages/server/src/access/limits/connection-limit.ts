import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { ERROR_CODES, ProtocolError } from "@dt/schema";
import { rpcFailure } from "@dt/schema/wire";
import type { RequestHandler } from "express";

/** Limits the sockets of a server. */
export interface ConnectionLimit {
  /** Counts a socket that was accepted. */
  add(socket: Socket): void;
  /** Counts the socket of a request that becomes a WebSocket as in use until it closes. */
  markUpgraded(request: IncomingMessage): void;
  /** Throws `agent-busy` for a socket beyond the limit. */
  check(socket: Socket): void;
  /** Answers requests of a socket beyond the limit with `agent-busy`, and closes the socket. */
  readonly middleware: RequestHandler;
  /** Number of sockets beyond which Node drops new ones without an answer. */
  readonly hardLimit: number;
}

/** Number of sockets beyond the limit that may be open at once to receive a refusal. */
const MAX_REFUSED = 32;
/** Time after which a socket beyond the limit is closed if it sent no request. */
const REFUSED_TIMEOUT_MS = 1_000;
/** Number of requests that one socket may have under way (HTTP pipelining). */
const MAX_PIPELINED = 32;

/**
 * Creates a limit on the sockets that are open at once.
 *
 * At the limit, a new socket replaces the one that has been idle longest since its last answer. If none is idle, it
 * replaces the oldest one without a request. Sockets with a request under way and WebSockets are never replaced. If
 * there are only those, the new socket is refused.
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
    hardLimit: maxConnections + MAX_REFUSED,
    check,
    markUpgraded: ({ socket }) => use(socket),
    add(socket) {
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
      const closing = setTimeout(() => socket.destroy(), REFUSED_TIMEOUT_MS);
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
      // Node parses all requests of a chunk, even after the first of them closed the socket.
      if (!socket.destroyed) next();
    },
  };
}
