import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import express from "express";
import { expect, test } from "vitest";
import { type HealthOptions, healthRoute } from "../health-route.js";
import { DEFAULT_LIMITS } from "../limits/limits.js";
import { guardSource } from "./guard-source.js";

const guard = { allowedHosts: ["dt.example"], allowedOrigins: ["https://ide.example"] };

/** Sends a request to a server with one guarded route; returns the answer. */
async function ask(lines: readonly string[], health: Partial<HealthOptions> = {}) {
  const app = express().disable("x-powered-by").disable("etag");
  app.use(guardSource(guard));
  const store = {
    check: async () => ({ damagedSessions: [] }),
    countTasks: async () => ({ active: 1, total: 2 }),
  };
  app.get("/", healthRoute({ store, uptime: () => 7, isStopping: () => false, ...health }));
  const server = app.listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.write(`${["GET / HTTP/1.1", "Connection: close", ...lines].join("\r\n")}\r\n\r\n`);
  let text = "";
  for await (const chunk of socket) text += chunk;
  server.close();
  const [head = "", body = ""] = text.split("\r\n\r\n");
  const names = /^(vary|access-control-|cache-control)/i;
  return {
    status: Number(head.split(" ")[1]),
    headers: head.split("\r\n").filter((line) => names.test(line)),
    body: JSON.parse(body),
  };
}

const healthy = { status: "healthy", uptime: 7, activeTasks: 1, totalTasks: 2 };

test("a request to a known host is accepted, and a page of an allowed origin may read the answer", async () => {
  expect(await ask(["Host: dt.example", "Origin: https://ide.example"])).toEqual({
    status: 200,
    headers: [
      "Vary: Origin",
      "Access-Control-Allow-Origin: https://ide.example",
      "Access-Control-Expose-Headers: A2A-Extensions, X-A2A-Extensions, X-Request-Id, Retry-After, ETag",
      "Cache-Control: no-store",
    ],
    body: healthy,
  });
});

test("a foreign host or origin is refused with 403 and the reason [SEC-01]", async () => {
  expect([
    await ask(["Host: evil.example"]),
    await ask(["Host: localhost", "Origin: https://evil.example"]),
  ]).toEqual([
    {
      status: 403,
      headers: [],
      body: {
        error:
          "the Host header names a host that this server does not serve; connect to 127.0.0.1 or localhost, or add the name to DT_ALLOWED_HOSTS of dt-server, or to allowedHosts of createAgentServer",
      },
    },
    {
      status: 403,
      headers: [],
      body: {
        error:
          "web pages of this origin may not use this server; the operator can add the origin to DT_ALLOWED_ORIGINS of dt-server, or to allowedOrigins of createAgentServer",
      },
    },
  ]);
});

test("GET /health counts tasks, and answers 503 if the server stops or its store fails [SRV-16]", async () => {
  const host = ["Host: localhost"];
  const damaged = {
    check: async () => ({ damagedSessions: ["a", "b"] }),
    countTasks: async () => ({ active: 1, total: 2 }),
  };
  const broken = { ...damaged, check: () => Promise.reject(new Error("/secret/file is gone")) };

  expect([
    await ask(host),
    await ask(host, { store: damaged }),
    await ask(host, { isStopping: () => true }),
    await ask(host, { store: broken }),
  ]).toMatchObject([
    { status: 200, body: healthy },
    { status: 200, body: { ...healthy, damagedSessions: 2 } },
    { status: 503, body: { ...healthy, status: "stopping" } },
    { status: 503, body: { status: "unhealthy", uptime: 7 } },
  ]);
  expect((await ask(host)).body).toEqual(healthy);
});

test("the default limits have the values that the documents name [SRV-10]", () => {
  expect(DEFAULT_LIMITS).toEqual({
    maxTurns: 128,
    maxTurnsPerOwner: 64,
    maxWaitingPrompts: 256,
    maxWaitMs: 60_000,
    maxTasksPerOwner: 100_000,
    maxPushConfigsPerTask: 10,
    maxStreamsPerPrincipal: 2_048,
    maxConnections: 2_048,
    maxUnfinishedBytes: 67_108_864,
    maxSessionsInMemory: 1_000,
    maxRequestsPerMinute: 30_000,
    maxPromptsPerMinute: 3_000,
    maxFailedSignInsPerMinute: 60,
    sessionIdleMs: 300_000,
    sessionTtlMs: Number.POSITIVE_INFINITY,
  });
});
