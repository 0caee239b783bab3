import { once } from "node:events";
import { connect as connectSocket } from "node:net";
import { ProtocolError } from "@dt/schema";
import type { AgentServerOptions, Authenticate } from "@dt/server";
import { status } from "@grpc/grpc-js";
import { expect, test } from "vitest";
import WebSocket from "ws";
import { openRawGrpc, readAll } from "../grpc/grpc-client.js";
import { openGrpcServer, prompt } from "../grpc/grpc-server.js";
import { openLiveStage } from "../support/open-live-stage.js";

/** Authenticates the token "ada" and forbids the token "eve", asynchronously. */
const authenticate: Authenticate = async ({ headers }) => {
  await new Promise((resolve) => setImmediate(resolve));
  if (headers.authorization === "Bearer eve") throw new ProtocolError("forbidden", "eve is barred");
  if (headers.authorization !== "Bearer ada") return undefined;
  return { user: "ada", name: "Ada", role: "admin" };
};

const text = {
  kind: "message",
  messageId: "m-1",
  role: "user",
  parts: [{ kind: "text", text: "hi" }],
};

/** Requests of every HTTP binding and dialect. */
const REQUESTS: readonly [name: string, path: string, body: object | undefined][] = [
  ["JSON-RPC", "", { jsonrpc: "2.0", id: 1, method: "tasks/list", params: {} }],
  [
    "a stream of JSON-RPC",
    "",
    { jsonrpc: "2.0", id: 1, method: "message/stream", params: { message: text } },
  ],
  ["REST", "v1/tasks", undefined],
  ["a stream of REST", "v1/message:stream", prompt("hi")],
  ["the server reference", "tasks", {}],
  ["a task of the server reference", "tasks/t-1/execute", { message: "hi" }],
  ["the protocol notes", "message/stream", { userMessage: "hi" }],
  ["metadata of the protocol notes", "tasks/metadata", undefined],
  ["commands of the protocol notes", "executeCommand", { command: "help" }],
];

async function openServer(options: Partial<AgentServerOptions> = {}) {
  let agents = 0;
  const served = await openGrpcServer({
    authenticate,
    openAgent: async () => {
      agents += 1;
      throw new Error("no agent may open");
    },
    ...options,
  });
  return Object.assign(served, { agents: () => agents });
}

async function send(url: string, path: string, body: object | undefined, token?: string) {
  const response = await fetch(`${url}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: tests look into foreign JSON.
  return { response, json: (await response.json()) as any };
}

/** Tries to open a WebSocket; resolves with the status and the challenge of the refusal. */
async function refusedUpgrade(url: string, headers: Record<string, string> = {}) {
  const socket = new WebSocket(`${url.replace("http", "ws")}ws`, ["dt.a2a.v1"], { headers });
  const [, response] = await once(socket, "unexpected-response");
  response.resume();
  return [response.statusCode, response.headers["www-authenticate"]];
}

test.for(REQUESTS)(
  "%s: a request without a valid token gets 401, a challenge and an error of that dialect [SRV-18]",
  async ([, path, body]) => {
    await using served = await openServer();

    const nobody = await send(served.url, path, body);
    const wrong = await send(served.url, path, body, "wrong");

    expect(nobody.response.status).toBe(401);
    expect(nobody.response.headers.get("WWW-Authenticate")).toBe('Bearer realm="dt"');
    expect(wrong.response.headers.get("WWW-Authenticate")).toMatch(/error="invalid_token"/);
    expect(JSON.stringify(nobody.json)).toContain("requires authentication");
    expect(nobody.json).toEqual(wrong.json);
    expect(nobody.json).toMatchSnapshot();
    expect([served.agents(), served.faults]).toEqual([0, []]);
  },
);

test.for(REQUESTS)("%s: a caller that the hook forbids gets 403", async ([, path, body]) => {
  await using served = await openServer();

  const { response, json } = await send(served.url, path, body, "eve");

  expect(response.status).toBe(403);
  expect(response.headers.get("WWW-Authenticate")).toBeNull();
  expect(JSON.stringify(json)).toContain("eve is barred");
});

test.for<[string, Authenticate]>([
  [
    "throws",
    () => {
      throw new Error("password: hunter2");
    },
  ],
  ["rejects", () => Promise.reject(new Error("password: hunter2"))],
  ["rejects with undefined", () => Promise.reject(undefined)],
  ["returns a caller without a user", () => ({ name: "ada", role: "admin" }) as never],
  ["returns a caller without a role", async () => ({ user: "ada", name: "ada" }) as never],
])(
  "if the authenticate hook %s, nobody is admitted and the server continues",
  async ([, broken]) => {
    await using served = await openServer({ authenticate: broken });
    using grpc = openRawGrpc(served.address);

    const answers = await Promise.all(
      REQUESTS.map(async ([, path, body]) => await send(served.url, path, body, "ada")),
    );
    const [upgrade] = await refusedUpgrade(served.url);
    const call = await grpc.send("getTask", { id: "x" }).catch((reason: unknown) => reason);

    expect(new Set(answers.map(({ response }) => response.status))).toEqual(new Set([500]));
    expect(JSON.stringify(answers.map(({ json }) => json))).not.toContain("hunter2");
    expect(upgrade).toBe(500);
    expect(call).toMatchObject({ code: status.INTERNAL });
    expect((await fetch(`${served.url}health`)).status).toBe(200);
    expect(served.faults.length).toBe(REQUESTS.length + 2);
  },
);

test("a WebSocket is refused at its upgrade, with 401 or 403 [SRV-18]", async () => {
  await using served = await openServer();

  const nobody = await refusedUpgrade(served.url);
  const barred = await refusedUpgrade(served.url, { Authorization: "Bearer eve" });

  expect(nobody).toEqual([401, 'Bearer realm="dt"']);
  expect(barred).toEqual([403, undefined]);
});

test("a gRPC call is refused before its message is read, as UNAUTHENTICATED or PERMISSION_DENIED", async () => {
  await using served = await openServer();
  using grpc = openRawGrpc(served.address);
  const unreadable = Buffer.from([0xff, 0xff]);
  const eve = { headers: { authorization: "Bearer eve" } };

  const one = await grpc.send("sendMessage", unreadable).catch((reason: unknown) => reason);
  const stream = await readAll(grpc.stream("sendStreamingMessage", unreadable, eve)).catch(
    (reason: unknown) => reason,
  );

  expect(one).toMatchObject({ code: status.UNAUTHENTICATED });
  expect(
    (one as { metadata: { get(key: string): unknown[] } }).metadata.get("www-authenticate"),
  ).toEqual(['Bearer realm="dt"']);
  expect(stream).toMatchObject({ code: status.PERMISSION_DENIED });
});

test("a caller that an asynchronous hook authenticates is served on every binding", async () => {
  await using served = await openGrpcServer({ authenticate });
  using grpc = openRawGrpc(served.address);

  const { json } = await send(
    served.url,
    "",
    { jsonrpc: "2.0", id: 1, method: "message/send", params: { message: text } },
    "ada",
  );
  const rest = await send(served.url, `v1/tasks/${json.result.id}`, undefined, "ada");
  const task = await grpc.send(
    "getTask",
    { id: json.result.id },
    {
      headers: { authorization: "Bearer ada" },
    },
  );
  const socket = new WebSocket(`${served.url.replace("http", "ws")}ws`, ["dt.a2a.v1"], {
    headers: { Authorization: "Bearer ada" },
  });
  await once(socket, "open");
  socket.terminate();

  expect([rest.json.id, task.id]).toEqual([json.result.id, json.result.id]);
});

test("the routes of the endpoint guide refuse a request without a token with a JSON-RPC error", async () => {
  await using stage = await openLiveStage({ server: { authenticate } });

  const created = await send(stage.url, "tasks", {});
  const { taskId } = stage.live;
  const prompted = await send(stage.url, `tasks/${taskId}/messages/stream`, { message: text });

  expect([created.response.status, prompted.response.status]).toEqual([401, 401]);
  expect(created.json).toMatchObject({ jsonrpc: "2.0", error: { code: -32057 } });
  expect(prompted.json).toEqual(created.json);
});

test("a refused request is answered before its body has arrived", async () => {
  await using served = await openServer();
  const { hostname, port } = new URL(served.url);
  const socket = connectSocket(Number(port), hostname);
  socket.write(
    `POST / HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\nContent-Length: 9000000\r\n\r\n{`,
  );

  const [first] = await once(socket, "data");
  // The server closes the socket, because the rest of the body never comes.
  await once(socket, "close");

  expect(String(first)).toMatch(/^HTTP\/1\.1 401 /);
});

test("the card and the health check need no authentication", async () => {
  await using served = await openServer();

  const card = await fetch(`${served.url}.well-known/agent-card.json`);
  const health = await fetch(`${served.url}health`);

  expect([card.status, health.status]).toEqual([200, 200]);
});
