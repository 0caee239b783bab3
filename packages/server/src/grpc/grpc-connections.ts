import type { Socket } from "node:net";
import type { ConnectionLimit } from "../access/limits/connection-limit.js";

/** The open connections of a gRPC server. */
export interface GrpcConnections {
  /** Adds a connection that was accepted. */
  add(socket: Socket): void;
  /**
   * Finds the connection of a call by `peer`, the client's address and port. The library reveals nothing else about the
   * connection.
   */
  find(peer: string): Socket | undefined;
  /** Counts a call until the returned function is called. A connection without counted calls is idle. */
  openCall(peer: string): () => void;
  /** Closes all connections at once. */
  destroy(): void;
}

interface Connection {
  readonly socket: Socket;
  calls: number;
  release(): void;
}

/** Creates an empty list of connections. All connections in the list count towards the limit of the server. */
export function createGrpcConnections(
  limit: Pick<ConnectionLimit, "add" | "markUsed">,
): GrpcConnections {
  const connections = new Map<string, Connection>();
  return {
    add(socket) {
      const peer = `${socket.remoteAddress}:${socket.remotePort}`;
      connections.set(peer, { socket, calls: 0, release() {} });
      socket.once("close", () => {
        // Keeps a newer connection that the client has opened from the same port.
        if (connections.get(peer)?.socket === socket) connections.delete(peer);
      });
      limit.add(socket);
    },
    find: (peer) => connections.get(peer)?.socket,
    openCall(peer) {
      const connection = connections.get(peer);
      if (connection === undefined) return () => {};
      if (connection.calls === 0) connection.release = limit.markUsed(connection.socket);
      connection.calls += 1;
      let isOpen = true;
      return () => {
        if (!isOpen) return;
        isOpen = false;
        connection.calls -= 1;
        if (connection.calls === 0) connection.release();
      };
    },
    destroy() {
      for (const { socket } of connections.values()) socket.destroy();
    },
  };
}
