import { once } from "node:events";
import { connect } from "@dt/client";
import { createScriptedAgent, openTestServer } from "@dt/server/testing";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { deferred, openWsClient } from "../ws-client.js";

const stream = (id: string | number) => ({
  jsonrpc: "2.0",
  id,
  method: "SendStreamingMessage",
  params: { message: { role: "ROLE_USER", messageId: `m-${id}`, parts: [{ text: "hi" }] } },
});

test.each([
  [["dt.a2a.v1"], "dt.a2a.v1"],
  [["a2a.v1"], "a2a.v1"],
  [["a2a.v1", "dt.a2a.v1"], "dt.a2a.v1"],
  [["a2a.v1", "a2a.bearer.secret"], "a2a.v1"],
])("a client that offers the subprotocols %j gets %s", async (offered, selected) => {
  await using server = await openTestServer();
  const ws = new WebSocket(server.wsUrl, offered);

  await once(ws, "open");

  expect(ws.protocol).toBe(selected);
  ws.terminate();
});

test("a stream over a2a.v1 ends with a $/end frame and then a streamEnd frame", async () => {
  await using server = await openTestServer();
  using socket = await openWsClient(server.wsUrl, { protocol: "a2a.v1" });

  socket.send(stream("req-1"));
  await socket.until((frame) => frame.streamEnd === true);

  expect(socket.frames.slice(-2)).toEqual([
    { jsonrpc: "2.0", method: "$/end", params: { id: "req-1" } },
    { jsonrpc: "2.0", id: "req-1", streamEnd: true },
  ]);
});

test("a stream over dt.a2a.v1 has no streamEnd frame", async () => {
  await using server = await openTestServer();
  using socket = await openWsClient(server.wsUrl);

  socket.send(stream(1));
  await socket.stream(1);
  socket.send({ jsonrpc: "2.0", id: 2, method: "$/ping" });
  await socket.until(({ id }) => id === 2);

  expect(socket.frames.filter((frame) => "streamEnd" in frame)).toEqual([]);
});

test.each([
  ["$/cancel", { jsonrpc: "2.0", method: "$/cancel", params: { id: 1 } }],
  ["cancelStream", { jsonrpc: "2.0", id: 1, cancelStream: true }],
])("%s over a2a.v1 ends the stream while the turn continues", async (_, cancel) => {
  const gate = deferred();
  await using server = await openTestServer({
    openAgent: createScriptedAgent(async (turn) => {
      await turn.say("begun ");
      await gate.promise;
      await turn.say("done");
    }),
  });
  using socket = await openWsClient(server.wsUrl, { protocol: "a2a.v1" });
  socket.send(stream(1));
  const begun = await socket.until(({ result }) => JSON.stringify(result)?.includes("begun"));
  const { taskId } = begun.result.artifactUpdate;

  socket.send(cancel);
  await socket.until((frame) => frame.id === 1 && frame.streamEnd === true);
  gate.resolve();
  socket.send({
    jsonrpc: "2.0",
    id: 2,
    method: "SubscribeToTask",
    params: { id: taskId, after: "0" },
  });
  await socket.until((frame) => frame.id === 2 && frame.streamEnd === true);

  expect(JSON.stringify(socket.frames)).toContain("TASK_STATE_COMPLETED");
  expect(server.faults).toEqual([]);
});

test("cancelStream for an unknown stream has no effect", async () => {
  await using server = await openTestServer();
  using socket = await openWsClient(server.wsUrl, { protocol: "a2a.v1" });

  socket.send({ jsonrpc: "2.0", id: "no", cancelStream: true });
  socket.send({ jsonrpc: "2.0", id: 2, method: "$/ping" });
  await socket.until(({ id }) => id === 2);

  expect(socket.frames).toEqual([{ jsonrpc: "2.0", id: 2, result: {} }]);
});

test("@dt/client offers dt.a2a.v1 first, and works if the server selects a2a.v1", async () => {
  await using server = await openTestServer();
  const offers: string[][] = [];
  class Recording extends WebSocket {
    constructor(url: string, protocols: string[]) {
      offers.push(protocols);
      super(url, protocols);
    }
  }
  class Older extends WebSocket {
    constructor(url: string) {
      super(url, ["a2a.v1"]);
    }
  }

  for (const Socket of [Recording, Older]) {
    const client = await connect(server.url, {
      transport: "websocket",
      WebSocket: Socket as unknown as typeof WebSocket,
    });
    const { workspacePath } = server;
    const task = await client.startTask({ prompt: "hello", workspacePath });
    const texts = [];
    for await (const event of task.events())
      if (event.kind === "TEXT_CONTENT") texts.push(event.text);
    expect(texts.join("")).toBe("hello");
    client.close();
  }
  expect(offers).toEqual([["dt.a2a.v1", "a2a.v1"]]);
});
