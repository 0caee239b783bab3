import { randomUUID } from "node:crypto";
import { createPrometheusMetrics, type Limits } from "@dt/server";
import { status } from "@grpc/grpc-js";
import { expect, test } from "vitest";
import { openRawGrpc } from "../grpc/grpc-client.js";
import { openStage } from "../support/open-stage.js";
import { openWsClient } from "../ws-client.js";
import { openTokenStage, rpc, sendAs } from "./token-stage.js";

const open = (limits: Partial<Limits>) =>
  openTokenStage({ server: { limits, metrics: createPrometheusMetrics() } });
const list = { body: rpc("tasks/list", {}) };
const wrong = `dt_0123456789abcdef_${"x".repeat(43)}`;

/** Requests of every HTTP binding and dialect. */
const REQUESTS: readonly [name: string, path: string, body: object | undefined][] = [
  ["JSON-RPC", "", rpc("tasks/list", {})],
  ["REST", "v1/tasks", undefined],
  ["the server reference", "tasks", {}],
  ["the protocol notes", "message/stream", { userMessage: "hi" }],
  ["metadata of the protocol notes", "tasks/metadata", undefined],
  ["metrics", "metrics", undefined],
];

test.for(REQUESTS)(
  "a request beyond the limit of its user gets 429 and Retry-After: %s [SRV-19]",
  async ([, path, body]) => {
    await using stage = await open({ maxRequestsPerMinute: 1 });
    const [token, other] = [await stage.token("ada"), await stage.token("bob")];
    await sendAs(stage.url, { ...list, token });

    const refused = await sendAs(`${stage.url}${path}`, { body, token });
    const text = await refused.text();

    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0);
    expect(text).toContain("you have reached 1 requests per minute; try again in");
    expect((await sendAs(stage.url, { ...list, token: other })).status).toBe(200);
    expect(stage.faults).toEqual([]);
  },
);

test("a JSON-RPC client gets the code of the limit and the time to wait [SRV-19]", async () => {
  await using stage = await open({ maxRequestsPerMinute: 1 });
  const token = await stage.token("ada");
  await sendAs(stage.url, { ...list, token });

  const { error } = await (await sendAs(stage.url, { ...list, token })).json();

  expect(error).toMatchObject({
    code: -32058,
    data: { reason: "rate-limited", retryAfterMs: expect.any(Number) },
  });
});

test("messages on a WebSocket count as requests, and the socket stays open [SRV-19]", async () => {
  await using stage = await open({ maxRequestsPerMinute: 2 });
  const token = await stage.token("ada");
  using client = await openWsClient(stage.wsUrl, { headers: { Authorization: `Bearer ${token}` } });

  for (const id of [1, 2]) client.send({ ...rpc("tasks/list", {}), id });
  const [first, second] = await Promise.all(
    [1, 2].map((id) => client.until((frame) => frame.id === id)),
  );

  expect(first.result).toBeDefined();
  expect(second.error).toMatchObject({ code: -32058 });
  expect(client.ws.readyState).toBe(client.ws.OPEN);
});

test("a gRPC call beyond the limit ends with RESOURCE_EXHAUSTED [SRV-19]", async () => {
  await using stage = await open({ maxRequestsPerMinute: 1 });
  const headers = { authorization: `Bearer ${await stage.token("ada")}` };
  const grpc = openRawGrpc(stage.grpcAddress);
  const get = () => grpc.send("getTask", { id: "t-1" }, { headers }).catch((reason) => reason);

  const [found, refused] = [await get(), await get()];
  grpc.channel.close();

  expect(found.code).toBe(status.NOT_FOUND);
  expect(refused.code).toBe(status.RESOURCE_EXHAUSTED);
  expect(Number(refused.metadata.get("retry-after")[0])).toBeGreaterThan(0);
});

test("a prompt beyond the limit is refused with 429, and a repeated prompt is not counted [SRV-19]", async () => {
  await using stage = await openStage({ server: { limits: { maxPromptsPerMinute: 1 } } });
  const prompt = async (messageId: string) =>
    await sendAs(stage.url, {
      body: rpc("message/send", {
        message: {
          kind: "message",
          messageId,
          role: "user",
          parts: [{ kind: "text", text: "hi" }],
        },
      }),
    });
  const messageId = randomUUID();

  const accepted = [await prompt(messageId), await prompt(messageId)];
  const refused = await prompt(randomUUID());

  expect([...accepted, refused].map((answer) => answer.status)).toEqual([200, 200, 429]);
  expect((await refused.json()).error.message).toContain("1 prompts per minute");
  expect(refused.headers.get("Retry-After")).toMatch(/^\d+$/);
});

test("wrong tokens get 401 and then 429, but a token in use still works [SRV-19]", async () => {
  await using stage = await open({ maxFailedSignInsPerMinute: 3 });
  const token = await stage.token("ada");
  await sendAs(stage.url, { ...list, token });

  const answers = await Promise.all(
    Array.from({ length: 40 }, () => sendAs(stage.url, { ...list, token: wrong })),
  );
  const statuses = answers.map((answer) => answer.status);
  const metrics = await (await sendAs(`${stage.url}metrics`, { token })).text();

  expect(statuses.filter((each) => each === 401)).toHaveLength(3);
  expect(statuses.filter((each) => each === 429)).toHaveLength(37);
  expect((await sendAs(stage.url, { ...list, token })).status).toBe(200);
  expect((await fetch(`${stage.url}health`)).status).toBe(200);
  expect(metrics).toContain('dt_rate_limited_total{limit="sign_ins"} 37');
});

test("requests for the agent card are limited by address, but requests to /health are not [SRV-19]", async () => {
  await using stage = await open({ maxRequestsPerMinute: 2 });
  const card = async () => (await fetch(`${stage.url}.well-known/agent-card.json`)).status;

  expect([await card(), await card(), await card()]).toEqual([200, 200, 429]);
  expect((await fetch(`${stage.url}health`)).status).toBe(200);
});
