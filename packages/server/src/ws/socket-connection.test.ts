import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { expect, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { openSocketConnection } from "./socket-connection.js";

/** Opens a connection to a client that reads only after the test has resumed it. */
async function openStalled({ pingMs = 60_000 } = {}) {
  const server = new WebSocketServer({
    port: 0,
    host: "127.0.0.1",
    perMessageDeflate: false,
    autoPong: false,
  });
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const accepting = once(server, "connection");
  const client = new WebSocket(`ws://127.0.0.1:${port}`);
  await once(client, "open");
  client.pause();
  const [ws] = (await accepting) as [WebSocket];
  const connection = openSocketConnection(ws, { pingMs, onText: () => {} });
  return { client, ws, connection, [Symbol.dispose]: () => server.close() };
}

async function until(fits: () => boolean): Promise<void> {
  while (!fits()) await new Promise((resolve) => setImmediate(resolve));
}

/** Resolves when a number has not changed for 200 iterations of the event loop. */
async function untilStill(read: () => number): Promise<void> {
  let last = -1;
  let still = 0;
  while (still < 200) {
    still = read() === last ? still + 1 : 0;
    last = read();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test("a send waits until the client reads if the buffer is full [LOG-04]", async () => {
  using stalled = await openStalled();
  const { client, ws, connection } = stalled;
  const total = 2_000;
  let sent = 0;
  const sending = (async () => {
    const text = "x".repeat(32 * 1024);
    for (; sent < total; sent += 1) await connection.send(text);
  })();

  await untilStill(() => sent);
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
});

test("a frame waits for buffer space before its text is built, and frames stay in order [LOG-04]", async () => {
  using stalled = await openStalled();
  const { client, ws, connection } = stalled;
  let written = 0;
  const answers = Array.from({ length: 60 }, (_, index) =>
    connection.send(() => {
      written += 1;
      return `${index} ${"x".repeat(512 * 1024)}`;
    }),
  );

  await untilStill(() => written);
  const writtenWhileStalled = written;
  const received: number[] = [];
  client.on("message", (data) => received.push(Number.parseInt(String(data), 10)));
  client.resume();
  await Promise.all(answers);
  ws.close();
  await once(client, "close");

  expect(writtenWhileStalled).toBeLessThan(30);
  expect(received).toEqual(answers.map((_, index) => index));
});

test("a send that waits for buffer space resolves if the socket breaks [LOG-04]", async () => {
  using stalled = await openStalled();
  const { client, connection } = stalled;
  const answers = Array.from({ length: 60 }, () => connection.send(() => "x".repeat(512 * 1024)));

  const closed = once(connection.signal, "abort");
  client.terminate();
  await Promise.all(answers);
  await closed;

  expect(connection.signal.aborted).toBe(true);
});

/** Reads a socket slowly until it ends or `total` bytes were read. */
async function readSlowly(socket: Socket, total: number): Promise<number> {
  let bytes = 0;
  socket.on("data", (chunk) => {
    bytes += chunk.length;
    if (bytes % STEP_BYTES < chunk.length) socket.pause();
  });
  const reading = setInterval(() => socket.resume(), 60);
  while (bytes < total && !socket.destroyed) await new Promise((resolve) => setImmediate(resolve));
  clearInterval(reading);
  return bytes;
}
const STEP_BYTES = 1024 * 1024;

test("a client that reads a large frame slowly stays connected although it sends no pongs [CLI-05]", async () => {
  using stalled = await openStalled({ pingMs: 900 });
  const { client, connection } = stalled;
  const text = "x".repeat(48 * 1024 * 1024);
  const sent = connection.send(text);

  // The raw socket is read in small steps, so that the server sees progress within the frame.
  const { _socket: socket } = client as unknown as { _socket: Socket };
  socket.removeAllListeners("data");
  const bytes = await readSlowly(socket, text.length);
  await sent;

  expect(bytes).toBeGreaterThanOrEqual(text.length);
  expect(connection.signal.aborted).toBe(false);
  client.terminate();
});

test("a client that does not read is disconnected after two unanswered pings [LOG-04]", async () => {
  using stalled = await openStalled({ pingMs: 100 });
  const { connection } = stalled;
  const closed = once(connection.signal, "abort");

  void connection.send("x".repeat(48 * 1024 * 1024));
  await closed;

  expect(connection.signal.aborted).toBe(true);
});

test("a client that does not read gets fewer pongs than pings, and the last pong is for its newest ping [SEC-09]", async () => {
  using stalled = await openStalled();
  const { client, ws } = stalled;
  const total = 100_000;
  let received = 0;
  let mostBuffered = 0;
  ws.on("ping", () => {
    received += 1;
    mostBuffered = Math.max(mostBuffered, ws.bufferedAmount);
  });

  for (let sent = 0; sent < total; sent += 1) client.ping(`${sent}`.padEnd(125, "."));
  await until(() => received === total);
  const pongs: string[] = [];
  client.on("pong", (data) => pongs.push(String(data)));
  client.resume();
  await until(() => pongs.at(-1) === `${total - 1}`.padEnd(125, "."));
  client.terminate();

  expect(mostBuffered).toBeLessThan(1_000);
  expect(pongs.length).toBeLessThan(total);
});
