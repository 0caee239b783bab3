import { randomUUID } from "node:crypto";
import { ClientFactory, ClientFactoryOptions } from "@a2a-js/sdk/client";
import { DEVELOPMENT_TOOL_URI } from "@dt/schema";
import { buildQuestion } from "@dt/schema/testing";
import { createScriptedAgent, openTestServer } from "@dt/server/testing";
import { expect, test } from "vitest";
import { parseEvents } from "./support/raw-rpc.js";
import { jsonOf } from "./ws-client.js";

const body = (text: string, overrides: object = {}) =>
  JSON.stringify({
    message: { role: "ROLE_USER", messageId: randomUUID(), parts: [{ text }], ...overrides },
  });
const JSON_HEADERS = { "Content-Type": "application/json" };

test("the card lists the REST binding under /v1 and the WebSocket binding", async () => {
  await using server = await openTestServer();

  const card = await jsonOf(await fetch(`${server.url}.well-known/agent-card.json`));

  expect(card.supportedInterfaces).toEqual([
    { url: server.url, protocolBinding: "JSONRPC", protocolVersion: "1.0" },
    { url: server.url, protocolBinding: "JSONRPC", protocolVersion: "0.3" },
    { url: `${server.url}v1`, protocolBinding: "HTTP+JSON", protocolVersion: "1.0" },
    { url: server.wsUrl, protocolBinding: "urn:dt:binding:websocket:v1", protocolVersion: "1.0" },
  ]);
});

test("a request for the card with a matching If-None-Match gets 304", async () => {
  await using server = await openTestServer();
  const url = `${server.url}.well-known/agent-card.json`;

  const first = await fetch(url);
  const tag = first.headers.get("ETag") ?? "";
  const again = await fetch(url, { headers: { "If-None-Match": `"other", W/${tag}` } });

  expect(first.headers.get("Cache-Control")).toContain("max-age");
  expect(again.status).toBe(304);
});

test("the official SDK client 1.3.0 can use all message and task methods over REST", async () => {
  await using server = await openTestServer({
    openAgent: createScriptedAgent(async (turn) => {
      if (turn.text === "wait") await turn.ask(buildQuestion());
      await turn.say(`echo ${turn.text}`);
    }),
  });
  const client = await new ClientFactory(
    ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      preferredTransports: ["HTTP+JSON"],
    }),
  ).createFromUrl(server.url);
  const send = (text: string) =>
    ({
      message: {
        messageId: randomUUID(),
        role: 1,
        parts: [{ content: { $case: "text", value: text } }],
      },
      // biome-ignore lint/suspicious/noExplicitAny: the SDK's own shapes.
    }) as any;

  // biome-ignore lint/suspicious/noExplicitAny: the SDK's own shapes.
  const sent = (await client.sendMessage(send("hello"))) as any;
  const streamed = [];
  for await (const event of client.sendMessageStream(send("again"))) streamed.push(event.payload);
  const task = await client.getTask({ tenant: "", id: sent.id, historyLength: 1 });
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's own shapes.
  const list = await client.listTasks({ tenant: "", pageSize: 1, includeArtifacts: true } as any);
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's own shapes.
  const waiting = (await client.sendMessage(send("wait"))) as any;
  const followed: (string | undefined)[] = [];
  const following = (async () => {
    for await (const event of client.resubscribeTask({ tenant: "", id: waiting.id }))
      followed.push(event.payload?.$case);
  })();
  const cancelled = await client.cancelTask({ tenant: "", id: waiting.id, metadata: {} });
  await following;

  expect(sent.artifacts[0].parts[0].content.value).toBe("echo hello");
  expect(streamed.map((payload) => payload?.$case)).toEqual([
    "task",
    "statusUpdate",
    "artifactUpdate",
    "statusUpdate",
    "artifactUpdate",
    "statusUpdate",
  ]);
  expect(task.history).toHaveLength(1);
  expect(list).toMatchObject({
    totalSize: 2,
    pageSize: 1,
    nextPageToken: expect.stringMatching(/./),
  });
  expect(list.tasks[0]?.artifacts).toHaveLength(1);
  expect(waiting.status.state).toBe(6);
  expect(cancelled.status?.state).toBe(5);
  expect(followed[0]).toBe("task");
  await expect(client.getTask({ tenant: "", id: "nope" })).rejects.toThrow("there is no task nope");
  await expect(client.getTask({ tenant: "", id: "nope" })).rejects.toMatchObject({
    name: "TaskNotFoundError",
  });
  expect(server.faults).toEqual([]);
});

test("a REST stream has event ids and resumes after Last-Event-ID [LOG-02]", async () => {
  await using server = await openTestServer();

  const response = await fetch(`${server.url}v1/message:stream`, {
    method: "POST",
    headers: { ...JSON_HEADERS, "A2A-Version": "1.0" },
    body: body("hello"),
  });
  const events = parseEvents(await response.text());
  const taskId = events[0]?.json.task.id;
  const text = events.find(({ json: frame }) => frame.statusUpdate?.status.message);
  const rest = parseEvents(
    await (
      await fetch(`${server.url}v1/tasks/${taskId}:subscribe`, {
        headers: { "Last-Event-ID": text?.id ?? "" },
      })
    ).text(),
  );

  expect(response.headers.get("Content-Type")).toContain("text/event-stream");
  expect(text?.json.statusUpdate.status.message.parts).toEqual([{ text: "hello" }]);
  expect(rest.map(({ json: frame }) => Object.keys(frame)[0])).toEqual([
    "task",
    "artifactUpdate",
    "statusUpdate",
  ]);
  expect(rest.at(-1)).toEqual(events.at(-1));
});

test("a REST stream returns the active extension in the A2A-Extensions header", async () => {
  await using server = await openTestServer();

  const response = await fetch(`${server.url}v1/message:stream`, {
    method: "POST",
    headers: { ...JSON_HEADERS, "A2A-Extensions": DEVELOPMENT_TOOL_URI },
    body: body("hello", {
      metadata: { [DEVELOPMENT_TOOL_URI]: { workspace_path: server.workspacePath } },
    }),
  });
  await response.text();

  expect(response.headers.get("A2A-Extensions")).toBe(DEVELOPMENT_TOOL_URI);
});

const refusals: readonly (readonly [string, string, RequestInit, number, string])[] = [
  ["a request for an unknown task", "tasks/nope", {}, 404, "TASK_NOT_FOUND"],
  ["a subscription to an unknown task", "tasks/nope:subscribe", {}, 404, "TASK_NOT_FOUND"],
  [
    "a body without a message",
    "message:send",
    { method: "POST", body: "{}" },
    400,
    "INVALID_PARAMS",
  ],
  ["a body of broken JSON", "message:send", { method: "POST", body: "{" }, 400, "INVALID_PARAMS"],
  ["a page size of zero", "tasks?pageSize=0", {}, 400, "INVALID_PARAMS"],
  ["a page size that is no number", "tasks?pageSize=two", {}, 400, "INVALID_PARAMS"],
  ["an unreadable page token", "tasks?pageToken=x", {}, 400, "INVALID_PARAMS"],
  [
    "a push config for an unknown task",
    "tasks/nope/pushNotificationConfigs",
    { method: "POST", body: '{"url":"https://example.com"}' },
    404,
    "TASK_NOT_FOUND",
  ],
  [
    "a push config without an address",
    "tasks/nope/pushNotificationConfigs",
    { method: "POST", body: "{}" },
    400,
    "INVALID_PARAMS",
  ],
  [
    "a push config that is no object",
    "tasks/nope/pushNotificationConfigs",
    { method: "POST", body: "[]" },
    400,
    "INVALID_PARAMS",
  ],
  [
    "a list of push configs of an unknown task",
    "tasks/nope/pushNotificationConfigs",
    {},
    404,
    "TASK_NOT_FOUND",
  ],
  [
    "the deletion of a push config of an unknown task",
    "tasks/nope/pushNotificationConfigs/c",
    { method: "DELETE" },
    404,
    "TASK_NOT_FOUND",
  ],
  ["a request for the extended card", "extendedAgentCard", {}, 400, "UNSUPPORTED_OPERATION"],
  [
    "a body of type text/plain",
    "message:send",
    { method: "POST", body: "a=b", headers: { "Content-Type": "text/plain" } },
    415,
    "CONTENT_TYPE_NOT_SUPPORTED",
  ],
  ["an unknown path", "nowhere", {}, 404, "METHOD_NOT_FOUND"],
  ["a path with invalid encoding", "tasks/%E0%A4%A", {}, 400, "INVALID_PARAMS"],
];

for (const [what, path, init, status, reason] of refusals) {
  test(`${what} is refused over REST with the status and reason of A2A`, async () => {
    await using server = await openTestServer();

    const response = await fetch(`${server.url}v1/${path}`, {
      ...init,
      headers: { ...JSON_HEADERS, ...init.headers },
    });
    const { error } = await jsonOf(response);

    expect(response.status).toBe(status);
    expect(error.code).toBe(status);
    expect(error.details[0]).toMatchObject({ reason });
    expect(server.faults).toEqual([]);
  });
}

test("a web page from a foreign origin cannot list tasks over REST [SEC-01]", async () => {
  await using server = await openTestServer();

  const response = await fetch(`${server.url}v1/tasks`, {
    headers: { Origin: "https://evil.example" },
  });

  expect(response.status).toBe(403);
});
