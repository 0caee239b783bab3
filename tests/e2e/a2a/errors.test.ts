import { connect } from "@dt/client";
import { openTestServer } from "@dt/server/testing";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { post } from "../support/raw-rpc.js";
import { jsonOf, openWsClient } from "../ws-client.js";

const V1 = { "A2A-Version": "1.0" };
const ERROR_INFO = "type.googleapis.com/google.rpc.ErrorInfo";
const NOT_FOUND = {
  "@type": ERROR_INFO,
  reason: "TASK_NOT_FOUND",
  domain: "a2a-protocol.org",
};
const STRUCT = {
  "@type": "type.googleapis.com/google.protobuf.Struct",
  value: { reason: "task-not-found" },
};

test("on A2A 1.0 the data of an error is a list of typed details [RFC-03]", async () => {
  await using server = await openTestServer();

  const missing = await jsonOf(await post(server.url, "GetTask", { id: "no" }, V1));
  const wrong = await jsonOf(await post(server.url, "GetTask", { id: 7 }, V1));

  expect(missing.error).toMatchObject({ code: -32001, data: [NOT_FOUND, STRUCT] });
  expect(wrong.error).toMatchObject({
    code: -32602,
    data: [
      { "@type": ERROR_INFO, reason: "INVALID_PARAMS", domain: "a2a-protocol.org" },
      {
        "@type": "type.googleapis.com/google.rpc.BadRequest",
        fieldViolations: [{ field: "id", description: "id: expected a string" }],
      },
      { value: { path: "id", reason: "invalid-message" } },
    ],
  });
});

test("on A2A 0.3 the data of an error is an object", async () => {
  await using server = await openTestServer();

  const missing = await jsonOf(await post(server.url, "tasks/get", { id: "no" }));

  expect(missing.error.data).toEqual({ reason: "task-not-found" });
});

test.each([
  ["that is not JSON", "{", V1, -32700],
  ["with an unknown method", { jsonrpc: "2.0", id: 1, method: "Nothing" }, V1, -32601],
  [
    "that names A2A 1.1",
    { jsonrpc: "2.0", id: 1, method: "GetTask" },
    { "A2A-Version": "1.1" },
    -32009,
  ],
  [
    "for a method of A2A 1.0 without parameters",
    { jsonrpc: "2.0", id: 1, method: "GetTask" },
    {},
    -32602,
  ],
])("the error of a request %s has typed details", async (_, body, headers, code) => {
  await using server = await openTestServer();

  const response = await fetch(server.url, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

  const { error } = await jsonOf(response);
  expect(error).toMatchObject({ code, data: [{ "@type": ERROR_INFO }, ...error.data.slice(1)] });
});

test("an error over REST has the same details as over JSON-RPC", async () => {
  await using server = await openTestServer();

  const rest = await jsonOf(await fetch(`${server.url}v1/tasks/no`));

  expect(rest.error.details).toEqual([NOT_FOUND, STRUCT]);
});

test("a WebSocket error has the form of the A2A version in the URL, else of the method's version", async () => {
  await using server = await openTestServer();
  using older = await openWsClient(`${server.wsUrl}?A2A-Version=0.3`);
  using newer = await openWsClient(`${server.wsUrl}?A2A-Version=1.0`);
  using open = await openWsClient(server.wsUrl);

  older.send({ jsonrpc: "2.0", id: 1, method: "tasks/get", params: { id: "no" } });
  newer.send({ jsonrpc: "2.0", id: 1, method: "GetTask", params: { id: "no" } });
  newer.send({ jsonrpc: "2.0", id: 2, method: "Nothing" });
  open.send({ jsonrpc: "2.0", id: 1, method: "GetTask", params: { id: "no" } });
  const errorOf = async ({ until }: typeof open, id = 1) =>
    (await until((frame) => frame.id === id)).error.data;

  expect(await errorOf(older)).toEqual({ reason: "task-not-found" });
  expect(await errorOf(newer)).toEqual([NOT_FOUND, STRUCT]);
  expect(await errorOf(newer, 2)).toMatchObject([{ reason: "METHOD_NOT_FOUND" }, {}]);
  expect(await errorOf(open)).toEqual([NOT_FOUND, STRUCT]);
});

test.each(["0.3", "1.0"] as const)(
  "@dt/client reads the data of an error of A2A %s over both transports",
  async (version) => {
    await using server = await openTestServer();
    for (const transport of ["sse", "websocket"] as const) {
      const client = await connect(server.url, { version, transport, WebSocket });

      await expect(client.openTask("no")).rejects.toMatchObject({
        code: "task-not-found",
        data: { reason: "task-not-found", jsonRpcCode: -32001 },
      });
      client.close();
    }
  },
);

test.each([
  ["GET", "", "POST"],
  ["DELETE", "", "POST"],
  ["GET", "v1/message:send", "POST"],
  ["PUT", "v1/tasks", "GET"],
  ["DELETE", "v1/tasks/no", "GET"],
  ["GET", "v1/tasks/no:cancel", "POST"],
  ["HEAD", "v1/tasks/no:subscribe", "GET, POST"],
  ["PUT", "v1/tasks/no/pushNotificationConfigs", "POST, GET"],
  ["POST", "v1/tasks/no/pushNotificationConfigs/one", "GET, DELETE"],
])("%s /%s is refused with 405 and an Allow header", async (method, path, allowed) => {
  await using server = await openTestServer();

  const response = await fetch(`${server.url}${path}`, { method });

  expect([response.status, response.headers.get("Allow")]).toEqual([405, allowed]);
  const { error } = method === "HEAD" ? {} : await jsonOf(response);
  const body = path === "" ? { code: -32601 } : { code: 405, status: "UNIMPLEMENTED" };
  expect(error ?? body).toMatchObject(body);
});

test("a request for an unknown operation on a task, such as tasks/no:nothing, gets 404", async () => {
  await using server = await openTestServer();

  const response = await fetch(`${server.url}v1/tasks/no:nothing`, { method: "POST" });

  expect(response.status).toBe(404);
});

test.each([
  ["a used message id", "message.messageId", { messageId: "m", parts: [{ text: "other" }] }],
  ["a too long context id", "message.contextId", { messageId: "n", contextId: "x".repeat(999) }],
])("the error for %s is a BadRequest that names the field", async (_, field, fields) => {
  await using server = await openTestServer();
  const send = async (message: object) =>
    await jsonOf(await post(server.url, "SendMessage", { message }, V1));
  const parts = [{ text: "one" }];
  await send({ role: "ROLE_USER", messageId: "m", parts });

  const { error } = await send({ role: "ROLE_USER", parts, ...fields });

  expect(error.data[1]).toMatchObject({ fieldViolations: [{ field }] });
});
