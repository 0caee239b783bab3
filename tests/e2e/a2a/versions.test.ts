import { createScriptedAgent, openTestServer } from "@dt/server/testing";
import { expect, test } from "vitest";
import { openStage } from "../support/open-stage.js";
import { post } from "../support/raw-rpc.js";
import { jsonOf, openWsClient, refusedWith } from "../ws-client.js";

test.each(["1.1", "1.7", "2.0", "0.2"])(
  "a request that names A2A %s in the header or in the URL is refused",
  async (version) => {
    await using server = await openTestServer();

    const byHeader = await post(server.url, "GetTask", { id: "t" }, { "A2A-Version": version });
    const byUrl = await post(`${server.url}?A2A-Version=${version}`, "GetTask", { id: "t" });
    const rest = await fetch(`${server.url}v1/tasks?a2a-version=${version}`);
    const socket = await refusedWith(`${server.wsUrl}?A2A-Version=${version}`);

    expect(await jsonOf(byHeader)).toMatchObject({ error: { code: -32009 } });
    expect(await jsonOf(byUrl)).toMatchObject({ error: { code: -32009 } });
    expect(await jsonOf(rest)).toMatchObject({
      error: { code: 400, details: [{ reason: "VERSION_NOT_SUPPORTED" }, {}] },
    });
    expect(socket).toBe(400);
  },
);

test("a version in the URL makes the methods of the other version unknown", async () => {
  await using server = await openTestServer();

  const newer = await jsonOf(await post(`${server.url}?A2A-Version=1.0`, "tasks/get", { id: "t" }));
  const older = await jsonOf(await post(`${server.url}?A2A-Version=0.3`, "GetTask", { id: "t" }));

  expect([newer.error.code, older.error.code]).toEqual([-32601, -32601]);
});

test.each([{}, { "A2A-Version": "" }])(
  "with the headers %j, the name of the method selects the version",
  async (headers) => {
    await using server = await openTestServer();

    const newer = await jsonOf(await post(server.url, "GetTask", { id: "t" }, headers));
    const older = await jsonOf(await post(server.url, "tasks/get", { id: "t" }, headers));

    expect([newer.error.code, older.error.code]).toEqual([-32001, -32001]);
  },
);

test("a request for the extended card is refused, and the public card declares no extended card", async () => {
  await using server = await openTestServer();
  using socket = await openWsClient(server.wsUrl);

  const card = await jsonOf(await fetch(`${server.url}.well-known/agent-card.json`));
  const newer = await jsonOf(await post(server.url, "GetExtendedAgentCard", {}));
  const older = await jsonOf(await post(server.url, "agent/getAuthenticatedExtendedCard", {}));
  const rest = await fetch(`${server.url}v1/extendedAgentCard`);
  socket.send({ jsonrpc: "2.0", id: 1, method: "GetExtendedAgentCard" });

  expect(card.capabilities).not.toHaveProperty("extendedAgentCard");
  expect(newer).toMatchObject({ error: { code: -32004 } });
  expect(older).toMatchObject({ error: { code: -32004 } });
  expect(rest.status).toBe(400);
  expect(await jsonOf(rest)).toMatchObject({
    error: { details: [{ reason: "UNSUPPORTED_OPERATION" }, {}] },
  });
  expect(await socket.until(({ id }) => id === 1)).toMatchObject({ error: { code: -32004 } });
});

test("the server announces that it keeps an idle connection for at least 75 seconds", async () => {
  await using stage = await openStage();

  const response = await fetch(`${stage.url}health`);

  const [, seconds] = /timeout=(\d+)/.exec(response.headers.get("keep-alive") ?? "") ?? [];
  expect(Number(seconds)).toBeGreaterThanOrEqual(75);
});

test("a client that accepts application/a2a+json gets responses of that type", async () => {
  await using server = await openTestServer({ openAgent: createScriptedAgent() });
  const accepting = { headers: { Accept: "application/a2a+json, application/json" } };
  const typeOf = async (path: string, init: RequestInit = {}) =>
    (await fetch(`${server.url}${path}`, init)).headers.get("Content-Type")?.split(";")[0];

  const paths = [".well-known/agent-card.json", "v1/tasks", "v1/tasks/no", "nowhere"];

  expect(await Promise.all(paths.map((path) => typeOf(path, accepting)))).toEqual(
    paths.map(() => "application/a2a+json"),
  );
  expect(await Promise.all(paths.map((path) => typeOf(path)))).toEqual(
    paths.map(() => "application/json"),
  );
});
