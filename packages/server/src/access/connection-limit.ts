import type { Socket } from "node:net";
import { errorCodes, ProtocolError } from "@dt/schema";
import { rpcFailure } from "@dt/schema/wire";
import type { RequestHandler } from "express";

/** Counts the sockets of a server. */
export interface ConnectionLimit {
  /** Takes note of a socket that was accepted. */
  take(socket: Socket): void;
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

/** A limit of so many sockets at once. */
export function createConnectionLimit(maxConnections: number): ConnectionLimit {
  const open = new Set<Socket>();
  const refused = new WeakSet<Socket>();

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
    take(socket) {
      // A request whose upgrade is not spoken comes in twice.
      if (open.has(socket) || refused.has(socket)) return;
      if (open.size < maxConnections) {
        open.add(socket);
        socket.once("close", () => open.delete(socket));
        return;
      }
      refused.add(socket);
      const closing = setTimeout(() => socket.destroy(), PATIENCE_MS);
      socket.once("close", () => clearTimeout(closing));
    },
    middleware(request, response, next) {
      try {
        check(request.socket);
      } catch (reason) {
        response.setHeader("Connection", "close");
        response.setHeader("Retry-After", "1");
        response.status(errorCodes["agent-busy"].http).json(rpcFailure(null, reason));
        return;
      }
      next();
    },
  };
}
