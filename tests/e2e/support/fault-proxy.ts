import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** The faults of one proxied connection. */
export interface FaultPlan {
  /** The fault, if any: a reset, a clean close, or a stall, which keeps the connection open but silent. */
  readonly end: "none" | "reset" | "close" | "stall";
  /** The fault comes after this number of bytes, counted in both directions together. */
  readonly afterBytes: number;
  /** The longest delay of a chunk. */
  readonly maxDelayMs: number;
  /** Size of the largest chunk that is forwarded at once. */
  readonly maxChunkBytes: number;
}

/** A TCP proxy that injects connection faults. */
export interface FaultProxy extends AsyncDisposable {
  readonly url: string;
  /** Cuts the open connections. From then on `plan` chooses the faults of each new connection. */
  arm(plan: () => FaultPlan): void;
  /** Number of connections on which the planned fault has happened. */
  readonly faults: number;
}

/** Opens a proxy in front of a server. It forwards without faults until `arm` is called. */
export async function openFaultProxy(
  target: string,
  random: (bound: number) => number,
): Promise<FaultProxy> {
  const { port, hostname } = new URL(target);
  const sockets = new Set<Socket>();
  let plan: (() => FaultPlan) | undefined;
  let faults = 0;

  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    const chosen = plan?.();
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    if (chosen === undefined) {
      client.pipe(upstream);
      upstream.pipe(client);
      return;
    }
    const connection = { client, upstream, left: chosen.afterBytes, isOver: false };
    const end = () => {
      connection.isOver = true;
      faults += 1;
      if (chosen.end === "stall") return;
      if (chosen.end === "reset") client.resetAndDestroy();
      else client.end();
      upstream.destroy();
    };
    forward({ from: client, to: upstream, connection, chosen, random, end });
    forward({ from: upstream, to: client, connection, chosen, random, end });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    get faults() {
      return faults;
    },
    arm(next) {
      plan = next;
      for (const socket of sockets) socket.destroy();
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

interface Forwarding {
  readonly from: Socket;
  readonly to: Socket;
  readonly connection: { left: number; isOver: boolean };
  readonly chosen: FaultPlan;
  readonly random: (bound: number) => number;
  end(): void;
}

/** Forwards bytes in chunks of random size with random delays, until the planned fault. */
function forward({ from, to, connection, chosen, random, end }: Forwarding): void {
  let earlier: Promise<void> = Promise.resolve();
  const forwardChunk = async (chunk: Buffer) => {
    for (let start = 0; start < chunk.length; ) {
      const size = 1 + random(Math.min(chosen.maxChunkBytes, chunk.length - start));
      // One chunk in twenty is delayed.
      const delayMs = random(20) === 0 ? random(chosen.maxDelayMs + 1) : 0;
      await new Promise<void>((resolve) => {
        if (delayMs === 0) setImmediate(resolve);
        else setTimeout(resolve, delayMs);
      });
      if (connection.isOver || to.destroyed) return;
      const isLast = chosen.end !== "none" && size >= connection.left;
      to.write(chunk.subarray(start, start + (isLast ? connection.left : size)));
      connection.left -= size;
      start += size;
      if (isLast) return end();
    }
  };
  from.on("data", (chunk: Buffer) => {
    earlier = earlier.then(() => forwardChunk(chunk));
  });
  from.on("end", () => {
    earlier = earlier.then(() => {
      if (!connection.isOver) to.end();
    });
  });
}
