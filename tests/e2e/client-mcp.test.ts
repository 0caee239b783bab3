import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { DEVELOPMENT_TOOL_URI } from "@dt/schema";
import { expect, test } from "vitest";
import { createToken } from "./support/create-token.js";
import { post, type RawEvent, readStream } from "./support/raw-rpc.js";
import { startServerProcess } from "./support/server-process.js";
import { openWsClient } from "./ws-client.js";

/** Starts a real dt-server and, in place of an MCP server, an HTTP server that counts its requests. */
async function openSetup(variables: Record<string, string> = {}) {
  const workspace = await openTempWorkspace();
  let requests = 0;
  const http = createServer((_request, response) => {
    requests += 1;
    response.writeHead(500).end();
  }).listen(0, "127.0.0.1");
  await once(http, "listening");
  const dataDirectory = path.join(workspace.root, "data");
  const server = await startServerProcess({
    DT_DATA_DIR: dataDirectory,
    DT_WORKSPACE_ROOTS: workspace.root,
    CODER_AGENT_PORT: "0",
    ...variables,
  });
  const { port } = http.address() as AddressInfo;
  return {
    server,
    /** Creates a token, and returns it as a header. A request through a proxy needs a token. */
    authorization: async () => ({ Authorization: `Bearer ${await createToken(dataDirectory)}` }),
    target: `http://127.0.0.1:${port}/mcp?tools=all`,
    requests: () => requests,
    paramsWith: (url: string, settings: object = {}) => ({
      message: {
        kind: "message",
        role: "user",
        messageId: randomUUID(),
        parts: [{ kind: "text", text: "say done" }],
        metadata: {
          [DEVELOPMENT_TOOL_URI]: {
            workspace_path: workspace.root,
            mcp_servers: { tools: { url, headers: { Authorization: "Bearer s3cret-token" } } },
            ...settings,
          },
        },
      },
    }),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      http.closeAllConnections();
      http.close();
      await workspace[Symbol.asyncDispose]();
    },
  };
}

async function stream(url: string, params: object, headers: Record<string, string> = {}) {
  return await readStream(await post(url, "message/stream", params, headers));
}

function callsIn(events: readonly RawEvent[]) {
  return events.flatMap(({ json }) => {
    const parts = json.result?.status?.message?.parts ?? [];
    // biome-ignore lint/suspicious/noExplicitAny: tests look into foreign JSON.
    return parts.flatMap(({ data }: any) => (data?.tool_call_id ? [data] : []));
  });
}

test("a client's MCP server gets no request before its address was approved [SEC-04]", async () => {
  await using setup = await openSetup();

  const events = await stream(setup.server.url, setup.paramsWith(setup.target));

  const [call] = callsIn(events);
  const address = setup.target.replace("tools=all", "tools=…");
  const description = `Connect to the MCP server tools at ${address} with the headers Authorization`;
  expect(call).toMatchObject({
    status: "PENDING",
    tool_name: "start_mcp_server",
    confirmation_request: { generic_details: { description } },
  });
  expect(JSON.stringify(events)).not.toContain("s3cret-token");
  expect(events.at(-1)?.json.result.status.state).toBe("input-required");
  expect(setup.requests()).toBe(0);
});

test("the MCP server of a client with autoExecute is connected without a question", async () => {
  await using setup = await openSetup();
  const params = setup.paramsWith(setup.target, { auto_execute: true });

  const events = await stream(setup.server.url, params);

  expect(events.at(-1)?.json.result.status.state).toBe("completed");
  expect(setup.requests()).toBeGreaterThan(0);
});

test.each([
  { "X-Forwarded-For": "203.0.113.7" },
  { Forwarded: "for=203.0.113.7" },
  { Via: "1.1 proxy" },
])(
  "a client behind a proxy (%j) cannot name an MCP server on this machine [SEC-04]",
  async (headers) => {
    await using setup = await openSetup();
    const params = setup.paramsWith(setup.target, { auto_execute: true });

    const token = await setup.authorization();
    const events = await stream(setup.server.url, params, { ...headers, ...token });

    expect(callsIn(events).at(-1)).toMatchObject({
      status: "FAILED",
      error: {
        message: expect.stringContaining("is this machine, but the client is on another one"),
      },
    });
    expect(setup.requests()).toBe(0);
  },
);

test("a client behind a proxy cannot name an MCP server on this machine over a WebSocket [SEC-04]", async () => {
  await using setup = await openSetup();
  const params = setup.paramsWith(setup.target, { auto_execute: true });
  const address = `${setup.server.url.replace("http", "ws")}ws`;
  const headers = { "X-Forwarded-For": "203.0.113.7", ...(await setup.authorization()) };
  const client = await openWsClient(address, { headers });

  client.send({ jsonrpc: "2.0", id: 1, method: "message/stream", params });
  await client.until((frames) =>
    JSON.stringify(frames).includes("but the client is on another one"),
  );

  expect(setup.requests()).toBe(0);
  client.ws.close();
});

test("any client may name an MCP address that DT_MCP_ALLOW lists [SEC-04]", async () => {
  await using setup = await openSetup({ DT_MCP_ALLOW: "127.0.0.1" });
  const params = setup.paramsWith(setup.target, { auto_execute: true });

  const token = await setup.authorization();
  await stream(setup.server.url, params, { "X-Forwarded-For": "203.0.113.7", ...token });

  expect(setup.requests()).toBeGreaterThan(0);
});

test("even a local client cannot use a private MCP address such as 169.254.169.254 [SEC-04]", async () => {
  await using setup = await openSetup();

  const events = await stream(setup.server.url, setup.paramsWith("http://169.254.169.254/latest"));

  expect(callsIn(events).at(-1)).toMatchObject({
    status: "FAILED",
    error: { message: expect.stringContaining("add it to DT_MCP_ALLOW") },
  });
});

test.each([
  ["mcp_servers.../x", { mcp_servers: { "../x": { command: "x" } } }],
  ["mcp_servers.a", { mcp_servers: { a: { command: "x", url: "http://127.0.0.1:1" } } }],
  ["mcp_servers.a.url", { mcp_servers: { a: { url: "file:///etc/passwd" } } }],
  ["model", { model: "openai:missing-key" }],
])(
  "client settings with a fault at %s are refused with that path [RFC-07]",
  async (field, settings) => {
    await using setup = await openSetup();
    const params = setup.paramsWith(setup.target, settings);

    const response = await post(setup.server.url, "message/send", params);

    expect(await response.json()).toMatchObject({
      error: {
        code: -32602,
        message: expect.stringContaining(`${field}: `),
        data: { path: field },
      },
    });
    expect(setup.server.stderr()).toBe("");
  },
);
