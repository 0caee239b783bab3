import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { errorCodes, ProtocolError } from "@dt/schema";
import { rpcFailure } from "@dt/schema/wire";
import type { RequestHandler } from "express";

/** Counts the sockets of a server. */
export interface ConnectionLimit {
  /** Takes note of a socket that was accepted. */
  take(socket: Socket): void;
  /** Takes note of a request that becomes a WebSocket: it is in use from now on. */
  hold(request: IncomingMessage): void;
  /** Throws `agent-busy` for a socket that is one too many. */
  check(socket: Socket): void;
  /** The same for requests: one word about it, then the socket is closed. */
  readonly middleware: RequestHandler;
  /** Past this many, sockets are dropped without a word. */
  readonly hardLimit: number;
}

/** How many sockets past the limit are told about it at once. */
const MARGIN = 32;
/** How long one of those may take to ask for something. */
const PATIENCE_MS = 1_000;
/** How many requests one socket may have under way. A client has to wait for answers, or open another. */
const MAX_PIPELINED = 32;

/**
 * A limit of so many sockets at once.
 *
 * When it is met, a new socket takes the place of one that nobody uses: first of the connection that has
 * been idle longest since its last answer, then of the one that has been open longest without a request.
 * If all of them are in use (a request under way, or a WebSocket), the new one is refused.
 *
 * A socket with too many requests under way is closed. Node reads all requests of one piece of a stream before
 * anything else happens, so a thousand of them would hold the server. (RFC 9112, 9.3.2)
 */
export function createConnectionLimit(maxConnections: number): ConnectionLimit {
  /** Requests under way of each socket. */
  const open = new Map<Socket, number>();
  // Both in the order in which they will be closed.
  const idle = new Set<Socket>();
  const unasked = new Set<Socket>();
  const refused = new WeakSet<Socket>();
  const told = new WeakSet<Socket>();

  function use(socket: Socket): void {
    const requests = open.get(socket);
    if (requests === undefined) return;
    open.set(socket, requests + 1);
    idle.delete(socket);
    unasked.delete(socket);
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
    unasked.delete(socket);
  }

  function makeRoom(): void {
    const [unused] = idle.size > 0 ? idle : unasked;
    if (unused === undefined) return;
    forget(unused);
    unused.destroy();
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
      // A request whose upgrade is not spoken comes in twice.
      if (open.has(socket) || refused.has(socket)) return;
      if (open.size >= maxConnections) makeRoom();
      if (open.size < maxConnections) {
        open.set(socket, 0);
        unasked.add(socket);
        socket.once("close", () => forget(socket));
        return;
      }
      refused.add(socket);
      const closing = setTimeout(() => socket.destroy(), PATIENCE_MS);
      socket.once("close", () => clearTimeout(closing));
    },
    middleware(request, response, next) {
      const { socket } = request;
      if (told.has(socket)) return;
      try {
        check(socket);
      } catch (reason) {
        told.add(socket);
        response.setHeader("Connection", "close");
        response.setHeader("Retry-After", "1");
        response.status(errorCodes["agent-busy"].http).json(rpcFailure(null, reason));
        return;
      }
      use(socket);
      response.once("close", () => release(socket));
      // Requests that came in one piece are all parsed, though the first of them closed the socket.
      if (!socket.destroyed) next();
    },
  };
}
