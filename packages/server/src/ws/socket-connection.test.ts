import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { openSocketConnection } from "./socket-connection.js";

test("who sends to a socket that does not read is held back, and goes on when it reads [LOG-04]", async () => {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: false });
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const accepting = once(server, "connection");
  const client = new WebSocket(`ws://127.0.0.1:${port}`);
  await once(client, "open");
  client.pause();
  const [ws] = (await accepting) as [WebSocket];
  const connection = openSocketConnection(ws, { pingMs: 60_000, onText: () => {} });
  const total = 2_000;
  let sent = 0;
  const sending = (async () => {
    const text = "x".repeat(32 * 1024);
    for (; sent < total; sent += 1) await connection.send(text);
  })();

  let last = -1;
  let still = 0;
  while (still < 200) {
    still = sent === last ? still + 1 : 0;
    last = sent;
    await new Promise((resolve) => setImmediate(resolve));
  }
  const sentWhileStalled = sent;
  const { bufferedAmount } = ws;
  let received = 0;
  client.on("message", () => {
    received += 1;
  });
  client.resume();
  await sending;
  ws.close();
  await once(client, "close");

  expect(sentWhileStalled).toBeLessThan(total);
  expect(bufferedAmount).toBeLessThan(512 * 1024);
  expect(received).toBe(total);
  server.close();
});
