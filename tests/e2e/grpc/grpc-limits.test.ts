import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { createPrometheusMetrics } from "@dt/server";
import { status } from "@grpc/grpc-js";
import { expect, test } from "vitest";
import { openRawGrpc, readAll, readUntil } from "./grpc-client.js";
import { gate, openGrpcServer, prompt } from "./grpc-server.js";

const PATH = "/lf.a2a.v1.A2AService/SendMessage";

/** Opens a gRPC call over plain HTTP/2, so that a test can send an incomplete message. */
function openSlowCall(address: string) {
  const session = connectHttp2(`http://${address}`);
  session.on("error", () => {});
  const headers = { "content-type": "application/grpc", te: "trailers" };
  const stream = session.request({ ":method": "POST", ":path": PATH, ...headers });
  stream.on("error", () => {});
  return {
    stream,
    /** Announces a message of `length` bytes, and sends only the first `sent` of them. */
    async write(length: number, sent: number): Promise<void> {
      const head = Buffer.alloc(5);
      head.writeUInt32BE(length, 1);
      const data = Buffer.concat([head, Buffer.alloc(sent)]);
      await new Promise<void>((resolve) => stream.write(data, () => resolve()));
    },
    [Symbol.dispose]: () => session.destroy(),
  };
}

test("a too large gRPC message is refused, and the next call on the connection works", async () => {
  await using served = await openGrpcServer({ maxBodyBytes: 10_000 });
  using client = openRawGrpc(served.address);

  await expect(client.send("sendMessage", prompt("x".repeat(20_000)))).rejects.toMatchObject({
    code: status.RESOURCE_EXHAUSTED,
  });
  const { task } = await client.send("sendMessage", prompt("small"));

  expect(task.status.state).toBe("TASK_STATE_COMPLETED");
});

test("if all incomplete gRPC messages together exceed the limit, the call with the largest is reset [SEC-09]", async () => {
  await using served = await openGrpcServer({
    maxBodyBytes: 100_000,
    limits: { maxUnfinishedBytes: 200_000 },
  });
  using small = openSlowCall(served.address);
  using large = openSlowCall(served.address);
  using third = openSlowCall(served.address);
  const closed = new Promise((resolve) => large.stream.on("close", resolve));

  await small.write(100_000, 60_000);
  await large.write(100_000, 90_000);
  await third.write(100_000, 70_000);
  await closed;

  // Code 11 of HTTP/2 is ENHANCE_YOUR_CALM. gRPC clients report it as RESOURCE_EXHAUSTED.
  expect(large.stream.rstCode).toBe(11);
  expect([small.stream.closed, third.stream.closed]).toEqual([false, false]);
});

test("a gRPC stream above the limit per user is refused until another one ends [SRV-10]", async () => {
  const { opened, open } = gate();
  await using served = await openGrpcServer({
    limits: { maxStreamsPerPrincipal: 1 },
    script: async () => {
      await opened;
      return undefined;
    },
  });
  using client = openRawGrpc(served.address);
  const first = client.stream("sendStreamingMessage", prompt("go"));
  await readUntil(first, ({ task }) => task !== undefined);

  const refused = readAll(client.stream("sendStreamingMessage", prompt("more")));

  await expect(refused).rejects.toMatchObject({ code: status.UNAVAILABLE });
  open();
  await readAll(first);
  const later = await readAll(client.stream("sendStreamingMessage", prompt("again")));
  expect(later.at(-1)).toMatchObject({
    statusUpdate: { status: { state: "TASK_STATE_COMPLETED" } },
  });
});

test("HTTP and gRPC connections share one limit, and a new connection replaces an idle one", async () => {
  await using served = await openGrpcServer({ limits: { maxConnections: 2 } });
  using client = openRawGrpc(served.address);
  await client.send("sendMessage", prompt("hello"));
  const { port } = new URL(served.url);
  const idle = connect(Number(port), "127.0.0.1");
  await once(idle, "connect");

  const health = await fetch(`${served.url}health`);
  const again = await client.send("sendMessage", prompt("hello"));

  expect(health.status).toBe(200);
  expect(again.task.status.state).toBe("TASK_STATE_COMPLETED");
  idle.destroy();
});

test("gRPC calls and streams appear in the metrics and in the log [SRV-13]", async () => {
  const lines: Record<string, unknown>[] = [];
  const note = (fields: object, text: string) => lines.push({ ...fields, text });
  await using served = await openGrpcServer({
    metrics: createPrometheusMetrics(),
    logger: { error: note, warn: note, info: note, debug() {} },
  });
  using client = openRawGrpc(served.address);

  await readAll(client.stream("sendStreamingMessage", prompt("hello")));
  await client.send("getTask", { id: "none" }).catch(() => {});
  const metrics = await (await fetch(`${served.url}metrics`)).text();

  expect(metrics).toMatch(/operation="stream",.*outcome="ok".* 1$/m);
  expect(metrics).toMatch(/operation="get",.*outcome="task-not-found".* 1$/m);
  const requests = lines.filter(({ path }) => path === "/lf.a2a.v1.A2AService");
  expect(requests.map(({ method, outcome }) => [method, outcome])).toEqual([
    ["SendStreamingMessage", "ok"],
    ["GetTask", "task-not-found"],
  ]);
});
