import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A TCP proxy between client and server that can break all connections. */
export interface CutProxy extends AsyncDisposable {
  readonly url: string;
  /** Breaks every connection and refuses new ones. */
  cut(): Promise<void>;
  /** Accepts connections again, at the same address. */
  restore(): Promise<void>;
  /** Number of connections that `cut` has broken so far. */
  readonly broken: number;
}

/** Opens a proxy in front of a server. */
export async function openCutProxy(target: string): Promise<CutProxy> {
  const { port: targetPort, hostname } = new URL(target);
  const sockets = new Set<Socket>();
  let broken = 0;

  const server = createServer((client) => {
    const upstream = connect(Number(targetPort), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream);
    upstream.pipe(client);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;

  async function down(): Promise<void> {
    const closed = once(server, "close");
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  }

  return {
    url: `http://127.0.0.1:${port}/`,
    get broken() {
      return broken;
    },
    async cut() {
      broken += sockets.size / 2;
      await down();
    },
    async restore() {
      server.listen(port, "127.0.0.1");
      await once(server, "listening");
    },
    async [Symbol.asyncDispose]() {
      if (server.listening) await down();
    },
  };
}
