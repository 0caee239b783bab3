import { EventEmitter, once } from "node:events";
import { SESSION_URI } from "@dt/schema";
import { createPrometheusMetrics } from "@dt/server";
import { status } from "@grpc/grpc-js";
import { expect, test } from "vitest";
import { openRawGrpc, readAll, readUntil } from "./grpc-client.js";
import { gate, openGrpcServer, prompt } from "./grpc-server.js";

const SESSION = { "a2a-extensions": SESSION_URI };

// biome-ignore lint/suspicious/noExplicitAny: tests look into foreign messages.
const textOf = (frame: any) => frame.statusUpdate?.status.message?.parts[0].text;
// biome-ignore lint/suspicious/noExplicitAny: tests look into foreign messages.
const cursorOf = (frame: any) => frame.statusUpdate?.metadata?.[SESSION_URI]?.cursor;

test("two gRPC streams of one task get the same events in the same order", async () => {
  const { opened, open } = gate();
  await using served = await openGrpcServer({
    script: async (turn) => {
      await opened;
      for (let index = 0; index < 300; index += 1) await turn.say(`${index} `);
    },
  });
  using client = openRawGrpc(served.address);
  const first = client.stream("sendStreamingMessage", prompt("go"));
  const [head] = await readUntil(first, ({ task }) => task !== undefined);
  const second = client.stream("subscribeToTask", { id: head.task.id });
  await readUntil(second, ({ task }) => task !== undefined);

  open();
  const [one, two] = await Promise.all([readAll(first), readAll(second)]);

  const texts = (frames: readonly unknown[]) => frames.map(textOf).filter(Boolean);
  expect(texts(one)).toEqual(Array.from({ length: 300 }, (_, index) => `${index} `));
  expect(texts(two)).toEqual(texts(one));
  expect(one.at(-1)).toMatchObject({
    statusUpdate: { status: { state: "TASK_STATE_COMPLETED" } },
  });
  expect(served.faults).toEqual([]);
});

test("a client that cancelled its gRPC stream can resume after its last event [LOG-02]", async () => {
  const { opened, open } = gate();
  const clients = new EventEmitter();
  await using served = await openGrpcServer({
    script: async (turn) => {
      await turn.say("before");
      await opened;
      await turn.say("after");
    },
    onClientsChange: (count) => clients.emit(String(count)),
  });
  using client = openRawGrpc(served.address);
  const headers = SESSION;
  const stream = client.stream("sendStreamingMessage", served.firstPrompt("go"), { headers });
  const seen = await readUntil(stream, (frame) => textOf(frame) === "before");

  const freed = once(clients, "0");
  stream.on("error", () => {});
  stream.cancel();
  await freed;
  open();
  const rest = await readAll(
    client.stream(
      "subscribeToTask",
      { id: seen[0].task.id },
      { headers: { ...headers, "last-event-id": cursorOf(seen.at(-1)) } },
    ),
  );

  expect(rest.map((frame) => textOf(frame) ?? Object.keys(frame)[0])).toEqual([
    "task",
    "after",
    "statusUpdate",
  ]);
  expect(served.server.countClients()).toBe(0);
  expect(served.faults).toEqual([]);
});

test("a message that is sent again after a missed gRPC deadline starts only one turn [LOG-05]", async () => {
  const { opened, open } = gate();
  let turns = 0;
  await using served = await openGrpcServer({
    script: async (turn) => {
      turns += 1;
      await opened;
      await turn.say("done");
    },
  });
  using client = openRawGrpc(served.address);
  const request = prompt("go");

  const late = client.send("sendMessage", request, { deadline: Date.now() + 300 });
  await expect(late).rejects.toMatchObject({ code: status.DEADLINE_EXCEEDED });
  const stream = client.stream("sendStreamingMessage", request, { deadline: Date.now() + 300 });
  await expect(readAll(stream)).rejects.toMatchObject({ code: status.DEADLINE_EXCEEDED });
  open();
  const { task } = await client.send("sendMessage", request);

  expect(task.status.state).toBe("TASK_STATE_COMPLETED");
  expect(turns).toBe(1);
});

test("when a server stops, gRPC streams and waiting calls end as UNAVAILABLE", async () => {
  await using served = await openGrpcServer({
    script: async (turn) => {
      await turn.say("before");
      await once(turn.signal, "abort");
      return undefined;
    },
  });
  using client = openRawGrpc(served.address);
  const stream = client.stream("sendStreamingMessage", prompt("go"));
  const [{ task }] = await readUntil(stream, (frame) => textOf(frame) === "before");
  const { id: taskId, contextId } = task;
  const waiting = client.send("sendMessage", prompt("more", { taskId, contextId }));
  const ended = Promise.allSettled([readAll(stream), waiting]);

  await served.server.close();
  const [streamed, answered] = await ended;

  expect(streamed).toMatchObject({
    reason: {
      code: status.UNAVAILABLE,
      details: "the server is stopping; subscribe again to resume after the last event",
    },
  });
  expect(answered).toMatchObject({ reason: { code: status.UNAVAILABLE } });
  await expect(client.send("getTask", { id: taskId })).rejects.toMatchObject({
    code: status.UNAVAILABLE,
  });
});

test("a gRPC client that does not read does not delay its task or other clients [LOG-04]", async () => {
  const chunk = "x".repeat(16 * 1024);
  const { opened, open } = gate();
  await using served = await openGrpcServer({
    metrics: createPrometheusMetrics(),
    script: async (turn) => {
      await opened;
      for (let index = 0; index < 400; index += 1) await turn.say(chunk);
    },
  });
  using stalled = openRawGrpc(served.address);
  using client = openRawGrpc(served.address);
  const headers = SESSION;
  const stream = client.stream("sendStreamingMessage", served.firstPrompt("go"), { headers });
  const [{ task }] = await readUntil(stream, (frame) => frame.task !== undefined);
  const unread = stalled.stream("subscribeToTask", { id: task.id }, { headers });
  // Before the first read, grpc-js buffers without limit. After it, grpc-js waits for the reader.
  await readUntil(unread, (frame) => frame.task !== undefined);

  open();
  const frames = await readAll(stream);
  const metrics = await (await fetch(`${served.url}metrics`)).text();
  const late = await readAll(unread);

  expect(frames.filter((frame) => textOf(frame) === chunk)).toHaveLength(400);
  const [, lag] = /subscriber_lag_events (\d+)/.exec(metrics) ?? [];
  expect(Number(lag)).toBeGreaterThan(0);
  expect(late.filter((frame) => textOf(frame) === chunk)).toHaveLength(400);
  expect(served.faults).toEqual([]);
});

test("a server can stop although a gRPC client does not read its stream", async () => {
  const chunk = "x".repeat(64 * 1024);
  await using served = await openGrpcServer({
    script: async (turn) => {
      for (let index = 0; index < 20; index += 1) await turn.say(chunk);
      await once(turn.signal, "abort");
      return undefined;
    },
  });
  using client = openRawGrpc(served.address);
  using reader = openRawGrpc(served.address);
  const headers = SESSION;
  const unread = client.stream("sendStreamingMessage", served.firstPrompt("go"), { headers });
  unread.on("error", () => {});
  const [{ task }] = await readUntil(unread, (frame) => frame.task !== undefined);
  const watched = reader.stream(
    "subscribeToTask",
    { id: task.id },
    { headers: { ...headers, "last-event-id": "0" } },
  );
  let count = 0;
  await readUntil(watched, (frame) => {
    if (textOf(frame) === chunk) count += 1;
    return count === 20;
  });

  const ended = readAll(watched).catch((reason: unknown) => reason);

  await served.server.close();

  expect(await ended).toMatchObject({ code: status.UNAVAILABLE });
  expect(served.faults).toEqual([]);
});
