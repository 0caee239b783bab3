import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { ERROR_CODES, ProtocolError } from "@dt/schema";
import { findErrorVersion, rpcFailure } from "@dt/schema/wire";
import type { RequestHandler } from "express";
import { readVersionParameter } from "../source/version-parameter.js";

/** Limits the sockets of a server. */
export interface ConnectionLimit {
  /** Counts a socket that was accepted. */
  add(socket: Socket): void;
  /** Marks a socket as in use until the returned function is called. */
  markUsed(socket: Socket): () => void;
  /** Marks the socket of an upgrade request as in use until the socket closes. */
  markUpgraded(request: IncomingMessage): void;
  /** Throws `agent-busy` for a socket beyond the limit. */
  check(socket: Socket): void;
  /** Answers the first request of a socket beyond the limit with `agent-busy`; the socket then closes. */
  readonly middleware: RequestHandler;
  /** Number of open sockets at which Node drops new sockets without an answer. */
  readonly hardLimit: number;
}

/** Maximum number of sockets beyond the limit that are accepted only to receive a refusal. */
const MAX_REFUSED = 32;
/** Time after which a socket beyond the limit is closed. */
const REFUSED_TIMEOUT_MS = 1_000;
/** Maximum number of unanswered requests on one socket (HTTP pipelining). */
const MAX_PIPELINED = 32;

/**
 * Creates a limit on the number of open sockets.
 *
 * At the limit, a new socket replaces another one. The first choice is the socket that has been idle longest since its
 * last answer. The second choice is the oldest socket that has never sent a request. WebSockets and sockets with an
 * unanswered request are never replaced. If only such sockets are open, the new one is refused.
 *
 * A socket with too many unanswered requests is closed. Node parses all requests of one chunk of data before it does
 * anything else, so a thousand requests in one chunk would block the server. (RFC 9112, 9.3.2)
 */
export function createConnectionLimit(maxConnections: number): ConnectionLimit {
  /** Number of unanswered requests of each socket within the limit. */
  const open = new Map<Socket, number>();
  /** Sockets whose requests are all answered. The first one is replaced first. */
  const idle = new Set<Socket>();
  /** Sockets that have never sent a request, oldest first. */
  const unused = new Set<Socket>();
  const refused = new WeakSet<Socket>();
  /** Refused sockets that have received their refusal. */
  const notified = new WeakSet<Socket>();

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
    markUsed(socket) {
      use(socket);
      return () => release(socket);
    },
    markUpgraded: ({ socket }) => use(socket),
    add(socket) {
      // For a request with an unsupported upgrade, Node emits `connection` twice with the same socket.
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
      if (notified.has(socket)) return;
      try {
        check(socket);
      } catch (reason) {
        notified.add(socket);
        response.setHeader("Connection", "close");
        response.setHeader("Retry-After", "1");
        const version = findErrorVersion(readVersionParameter(request), undefined);
        response.status(ERROR_CODES["agent-busy"].http).json(rpcFailure(null, reason, version));
        return;
      }
      use(socket);
      response.once("close", () => release(socket));
      // Node passes on all requests of a chunk, even after one of them closed the socket.
      if (!socket.destroyed) next();
    },
  };
}
