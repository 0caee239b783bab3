import { randomUUID } from "node:crypto";
import { DEVELOPMENT_TOOL_URI, SESSION_URI } from "@dt/schema";
import { METHOD_NAMES } from "@dt/schema/wire";
import { openTestServer } from "@dt/server/testing";
import { expect, test } from "vitest";
import { post } from "../support/raw-rpc.js";
import { jsonOf, openWsClient } from "../ws-client.js";

const streaming = ["stream", "subscribe", "follow-session"];
const methods = (["0.3", "1.0"] as const).flatMap((version) =>
  Object.entries(METHOD_NAMES[version])
    .filter(([operation]) => !streaming.includes(operation))
    .map(([, method]) => [version, method] as const),
);

test.each(methods)(
  "in A2A %s the method %s refuses a client that lacks a required extension [RFC-04]",
  async (version, method) => {
    await using server = await openTestServer({ isExtensionRequired: true });
    using socket = await openWsClient(`${server.wsUrl}?A2A-Version=${version}`);
    const active = { "A2A-Version": version, "A2A-Extensions": DEVELOPMENT_TOOL_URI };

    const plain = await jsonOf(await post(server.url, method, {}, { "A2A-Version": version }));
    const extended = await jsonOf(await post(server.url, method, {}, active));
    socket.send({ jsonrpc: "2.0", id: 1, method, params: {} });

    expect(plain.error).toMatchObject({
      code: -32008,
      message: `this agent needs clients to activate the extension ${DEVELOPMENT_TOOL_URI}`,
    });
    expect(extended.error?.code).not.toBe(-32008);
    expect(await socket.until(({ id }) => id === 1)).toMatchObject({ error: { code: -32008 } });
  },
);

test("streams and REST refuse a client that lacks a required extension", async () => {
  await using server = await openTestServer({ isExtensionRequired: true });
  const message = { role: "ROLE_USER", messageId: randomUUID(), parts: [{ text: "a" }] };

  const stream = await post(server.url, "message/stream", {}, { "A2A-Version": "0.3" });
  const newer = await post(server.url, "SubscribeToTask", { id: "t" }, { "A2A-Version": "1.0" });
  const rest = await Promise.all([
    fetch(`${server.url}v1/tasks`),
    fetch(`${server.url}v1/tasks/t`),
    fetch(`${server.url}v1/message:send`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ message }),
    }),
  ]);

  expect(await stream.text()).toContain("-32008");
  expect(await newer.text()).toContain("-32008");
  for (const response of rest) {
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("EXTENSION_SUPPORT_REQUIRED");
  }
});

test.each([
  [DEVELOPMENT_TOOL_URI, DEVELOPMENT_TOOL_URI],
  [DEVELOPMENT_TOOL_URI.replace("v0", "v0.5"), null],
  [DEVELOPMENT_TOOL_URI.replace("v0", "v1"), null],
  [SESSION_URI, `${DEVELOPMENT_TOOL_URI}, ${SESSION_URI}`],
  [SESSION_URI.replace("v0.1", "v0"), `${DEVELOPMENT_TOOL_URI}, ${SESSION_URI}`],
  [SESSION_URI.replace("v0.1", "v0.1.7"), `${DEVELOPMENT_TOOL_URI}, ${SESSION_URI}`],
  [SESSION_URI.replace("v0.1", "v0.2"), null],
])(
  "a client that requests %s gets a response with A2A-Extensions %s [RFC-05]",
  async (asked, active) => {
    await using server = await openTestServer();

    const response = await post(
      server.url,
      "ListTasks",
      {},
      { "A2A-Version": "1.0", "A2A-Extensions": asked },
    );

    expect(response.headers.get("A2A-Extensions")).toBe(active);
  },
);
