import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** What a proxy does to one connection. */
export interface FaultPlan {
  /** How it ends: cut with or without a goodbye, or neither forwarded nor closed any more. */
  readonly end: "none" | "reset" | "goodbye" | "stall";
  /** After how many bytes, of both directions together. */
  readonly afterBytes: number;
  /** The longest delay of a piece, in milliseconds. */
  readonly delayMs: number;
  /** The largest piece that is forwarded at once. */
  readonly maxPiece: number;
}

/** A TCP proxy that is as bad as it is told to be. */
export interface FaultProxy extends AsyncDisposable {
  readonly url: string;
  /** From now on new connections get faults; `plan` is asked for each. Those that are open are cut. */
  arm(plan: () => FaultPlan): void;
  /** How many connections it ended or stalled. */
  readonly faults: number;
}

/** Opens a proxy before a server; it forwards faithfully until it is armed. */
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
    const line = { client, upstream, left: chosen.afterBytes, isOver: false };
    const end = () => {
      line.isOver = true;
      faults += 1;
      if (chosen.end === "stall") return;
      if (chosen.end === "reset") client.resetAndDestroy();
      else client.end();
      upstream.destroy();
    };
    forward({ from: client, to: upstream, line, chosen, random, end });
    forward({ from: upstream, to: client, line, chosen, random, end });
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
  readonly line: { left: number; isOver: boolean };
  readonly chosen: FaultPlan;
  readonly random: (bound: number) => number;
  end(): void;
}

/** Forwards bytes in pieces of any size, late, until the plan's end. */
function forward({ from, to, line, chosen, random, end }: Forwarding): void {
  let earlier: Promise<void> = Promise.resolve();
  const pass = async (chunk: Buffer) => {
    for (let start = 0; start < chunk.length; ) {
      const size = 1 + random(Math.min(chosen.maxPiece, chunk.length - start));
      // Most pieces come right after each other; one in twenty is late.
      const delayMs = random(20) === 0 ? random(chosen.delayMs + 1) : 0;
      await new Promise<void>((resolve) => {
        if (delayMs === 0) setImmediate(resolve);
        else setTimeout(resolve, delayMs);
      });
      if (line.isOver || to.destroyed) return;
      const isLast = chosen.end !== "none" && size >= line.left;
      to.write(chunk.subarray(start, start + (isLast ? line.left : size)));
      line.left -= size;
      start += size;
      if (isLast) return end();
    }
  };
  from.on("data", (chunk: Buffer) => {
    earlier = earlier.then(() => pass(chunk));
  });
  from.on("end", () => {
    earlier = earlier.then(() => {
      if (!line.isOver) to.end();
    });
  });
}
