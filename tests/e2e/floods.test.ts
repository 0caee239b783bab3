import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { createModel } from "@dt/agent-core";
import {
  openaiChunk,
  openaiUnfinishedStream,
  openOpenaiStandIn,
  thenFlood,
  thenWait,
} from "@dt/agent-core/testing";
import { expect, test } from "vitest";
import { openStage } from "./support/open-stage.js";
import { openWsClient } from "./ws-client.js";

const healthOf = async (url: string) => (await fetch(`${url}health`)).status;
const wsUrlOf = (url: string) => `${url.replace("http", "ws")}ws`;

/** Opens a keep-alive connection on which one request was answered. */
async function openIdle(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.write("GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
  await once(socket, "data");
  return socket;
}

/** Opens a connection that sends no request. */
async function openSilent(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  return socket;
}

test("the server answers other clients while a client sends pings and never reads [SEC-09]", async () => {
  await using stage = await openStage();
  using flooder = await openWsClient(wsUrlOf(stage.url));
  flooder.ws.pause();
  let written = 0;
  const total = 100_000;

  for (let sent = 0; sent < total; sent += 1) {
    flooder.ws.ping("x".repeat(125), undefined, () => {
      written += 1;
    });
  }
  const during = await healthOf(stage.url);
  const isUnderWay = written < total;
  while (written < total) await new Promise((resolve) => setImmediate(resolve));

  expect({ during, isUnderWay }).toEqual({ during: 200, isUnderWay: true });
  expect(await healthOf(stage.url)).toBe(200);
});

test("the server handles fewer than fifty messages of a burst per event loop iteration [SEC-09]", async () => {
  const total = 2_000;
  let perTurn = 0;
  let maxPerTurn = 0;
  const count = () => {
    perTurn += 1;
    maxPerTurn = Math.max(maxPerTurn, perTurn);
    setImmediate(() => {
      perTurn = 0;
    });
  };
  const logger = { error() {}, warn() {}, debug() {}, info: count };
  await using stage = await openStage({ server: { logger } });
  using flooder = await openWsClient(wsUrlOf(stage.url));
  perTurn = 0;
  maxPerTurn = 0;

  for (let id = 0; id < total; id += 1) {
    flooder.ws.send(`{"jsonrpc":"2.0","id":${id},"method":"none"}`);
  }
  for (let id = 0; id < total; id += 1) await flooder.until((frame) => frame.id === id);

  expect(maxPerTurn).toBeLessThan(50);
});

test("the first invalid frame closes a socket, and later frames are not answered [SEC-09]", async () => {
  await using stage = await openStage();
  using flooder = await openWsClient(wsUrlOf(stage.url));

  for (let sent = 0; sent < 2_000; sent += 1) flooder.ws.send("this is no JSON");
  const { code } = await flooder.closed;

  expect(code).toBe(4400);
  expect(flooder.frames).toHaveLength(1);
});

test("a connection that pipelines 2,000 requests is closed [SEC-09]", async () => {
  await using stage = await openStage();
  const socket = connect(stage.server.port, "127.0.0.1");
  socket.on("error", () => {});
  let answers = "";
  socket.on("data", (text) => {
    answers += text;
  });

  socket.write("GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".repeat(2_000));
  await new Promise((resolve) => socket.once("close", resolve));

  expect(answers.split("HTTP/1.1").length).toBeLessThan(100);
  expect(await healthOf(stage.url)).toBe(200);
});

test("if all unfinished messages together exceed the limit, the socket of the largest message is cut [SEC-09]", async () => {
  const limits = { maxUnfinishedBytes: 1_000_000 };
  await using stage = await openStage({ server: { limits } });
  using small = await openWsClient(wsUrlOf(stage.url));
  using large = await openWsClient(wsUrlOf(stage.url));
  using late = await openWsClient(wsUrlOf(stage.url));
  const begin = (bytes: number) =>
    `{"jsonrpc":"2.0","id":1,"method":"$/ping","x":"${"x".repeat(bytes)}`;

  small.ws.send(begin(200_000), { fin: false });
  large.ws.send(begin(500_000), { fin: false });
  late.ws.send(begin(400_000), { fin: false });
  const { code } = await large.closed;
  small.ws.send('"}');
  late.ws.send('"}');

  expect(code).toBe(1006);
  for (const kept of [small, late]) {
    expect(await kept.until(({ id }) => id === 1)).toMatchObject({ result: {} });
  }
  expect(await healthOf(stage.url)).toBe(200);
});

test("if all unfinished bodies together exceed the limit, one of their connections is cut [SEC-09]", async () => {
  const limits = { maxUnfinishedBytes: 1_000_000 };
  await using stage = await openStage({ server: { limits } });
  const head = "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n";
  const bodies = [600_000, 500_000].map((bytes) => {
    const socket = connect(stage.server.port, "127.0.0.1");
    socket.on("error", () => {});
    socket.write(`${head}Content-Length: 2000000\r\n\r\n${"x".repeat(bytes)}`);
    return socket;
  });

  await Promise.race(
    bodies.map((socket) => new Promise((resolve) => socket.once("close", resolve))),
  );

  expect(await healthOf(stage.url)).toBe(200);
  for (const socket of bodies) socket.destroy();
});

test("at the limit, a new connection replaces an idle connection, never a busy one [SEC-09, SRV-10]", async () => {
  await using stage = await openStage({ server: { limits: { maxConnections: 3 } } });
  const { port } = stage.server;
  const silent = await openSilent(port);
  const idle = await openIdle(port);
  using used = await openWsClient(wsUrlOf(stage.url));
  const order: string[] = [];
  const closed = [
    once(idle, "close").then(() => order.push("idle")),
    once(silent, "close").then(() => order.push("silent")),
  ];

  using first = await openWsClient(wsUrlOf(stage.url));
  await closed[0];
  using second = await openWsClient(wsUrlOf(stage.url));
  await closed[1];
  const refused = await fetch(`${stage.url}health`);

  expect(order).toEqual(["idle", "silent"]);
  expect([used, first, second].map(({ ws }) => ws.readyState === ws.OPEN)).toEqual([
    true,
    true,
    true,
  ]);
  expect(refused.status).toBe(503);
});

test("a new client can connect although silent connections have reached the limit [SEC-09]", async () => {
  await using stage = await openStage({ server: { limits: { maxConnections: 50 } } });
  const silent = await Promise.all(
    Array.from({ length: 200 }, () => openSilent(stage.server.port)),
  );

  expect(await healthOf(stage.url)).toBe(200);

  for (const socket of silent) socket.destroy();
});

test("if a model sends an endless line, its turn fails and the server still answers [SEC-09]", async () => {
  const flood = thenFlood(
    openaiUnfinishedStream([openaiChunk({ content: "hi" })]),
    "data: x".padEnd(64 * 1024, "x"),
  );
  await using standIn = await openOpenaiStandIn([flood]);
  const model = createModel({
    name: "openai:flood",
    environment: { OPENAI_BASE_URL: `${standIn.url}/v1` },
  });
  await using stage = await openStage({ model });
  const client = await stage.connect();
  const task = await client.startTask({ workspacePath: stage.workspace.root, prompt: "go" });

  const health = await healthOf(stage.url);
  for await (const _ of task.events()) {
    // The loop only waits for the end of the turn.
  }

  expect(health).toBe(200);
  expect(task.view()).toMatchObject({
    state: "failed",
    error: expect.stringContaining("the model sent an event of more than 4 MiB"),
  });
});

test("the server answers other clients while a model is silent [SEC-09]", async () => {
  const silent = thenWait(
    openaiUnfinishedStream([openaiChunk({ content: "hi" })]),
    new Promise(() => {}),
  );
  await using standIn = await openOpenaiStandIn([silent]);
  const model = createModel({
    name: "openai:silent",
    environment: { OPENAI_BASE_URL: `${standIn.url}/v1` },
  });
  await using stage = await openStage({ model });
  const client = await stage.connect();
  const task = await client.startTask({ workspacePath: stage.workspace.root, prompt: "go" });
  for await (const { kind } of task.events()) if (kind === "TEXT_CONTENT") break;

  const during = [await healthOf(stage.url), task.view().state];
  await task.cancel();

  expect(during).toEqual([200, "working"]);
});
