import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { createHttpTransport } from "./http-transport.js";
import { systemWallClock } from "./wall-clock.js";
import { createWsTransport } from "./ws-transport.js";

const brackets = `{"jsonrpc":"2.0","id":1,"result":${"[".repeat(8_000_000)}`;

/** Opens a transport to an agent that handles every request with one listener. */
async function openTransport(listener: RequestListener) {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/`;
  const transport = createHttpTransport({ url, headers: {}, fetch, now: systemWallClock });
  return {
    transport,
    [Symbol.dispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Sends the same piece until the client closes the connection. */
function flood(type: string, piece: string): RequestListener {
  return (_, response) => {
    response.setHeader("Content-Type", type);
    const more = () => {
      while (!response.destroyed && response.write(piece));
    };
    response.on("drain", more);
    more();
  };
}

async function drain(frames: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of frames) {
    // The loop reads until the stream fails.
  }
}

const { signal } = new AbortController();
const json = "application/json";
const events = "text/event-stream";

test("a response that is nested too deep fails its call [SEC-09]", async () => {
  using agent = await openTransport((_, response) =>
    response.setHeader("Content-Type", json).end(brackets),
  );

  await expect(agent.transport.call("x", {})).rejects.toMatchObject({
    name: "TransportError",
    reason: "unreadable",
    message: "the response (HTTP 200) is not JSON-RPC, or too deep",
  });
});

test("an event that is nested too deep fails its stream [SEC-09]", async () => {
  using agent = await openTransport((_, response) =>
    response.setHeader("Content-Type", events).end(`data: ${brackets}\n\n`),
  );

  await expect(drain(agent.transport.stream("x", {}, { signal }))).rejects.toMatchObject({
    reason: "unreadable",
    message: "a stream event is not JSON, or too deep",
  });
});

const mebibyte = "x".repeat(1024 * 1024);

test.each([
  ["a response", json, mebibyte],
  ["a line", events, mebibyte],
  ["an event of many lines", events, `data: ${mebibyte}\n`],
])("the client stops reading %s that has no end [SEC-09]", async (_, type, piece) => {
  using agent = await openTransport(flood(type, piece));

  await expect(drain(agent.transport.stream("x", {}, { signal }))).rejects.toMatchObject({
    reason: "unreadable",
    message: "a text of the agent is too long",
  });
});

const emptyEvent = { data: undefined as unknown, code: 0, reason: "" };
type SocketEvent = typeof emptyEvent;

test.each([
  ["nested too deep", brackets],
  ["too long", `{"jsonrpc":"2.0","id":1,"result":"${"x".repeat(65 * 1024 * 1024)}"}`],
])("a frame that is %s fails the requests on its socket [SEC-09]", async (_, frame) => {
  class HostileSocket {
    readonly readyState = 1;
    #receive = (_event: SocketEvent) => {};
    addEventListener(type: string, listener: (event: SocketEvent) => void): void {
      if (type === "open") queueMicrotask(() => listener(emptyEvent));
      if (type === "message") this.#receive = listener;
    }
    send(): void {
      this.#receive({ ...emptyEvent, data: frame });
    }
    close(): void {}
  }
  const transport = createWsTransport({
    WebSocket: HostileSocket,
    address: async () => ({ url: "ws://127.0.0.1/", protocols: [] }),
    now: systemWallClock,
    silenceMs: 60_000,
  });

  await expect(transport.call("x", {})).rejects.toMatchObject({
    reason: "unreadable",
    message: "a frame is not JSON, or too long or deep",
  });
  transport.close();
});
