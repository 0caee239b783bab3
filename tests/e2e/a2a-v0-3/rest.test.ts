import { randomUUID } from "node:crypto";
import { DEVELOPMENT_TOOL_URI, ProtocolError } from "@dt/schema";
import { buildQuestion } from "@dt/schema/testing";
import { createScriptedAgent, openTestServer } from "@dt/server/testing";
import { expect, test } from "vitest";
import { gate } from "../grpc/grpc-server.js";
import { parseEvents } from "../support/raw-rpc.js";
import { jsonOf } from "../ws-client.js";

const JSON_HEADERS = { "Content-Type": "application/json" };
const PUSH_CONFIGS = "tasks/no/pushNotificationConfigs";

/** Builds a request with a message in ProtoJSON of A2A 0.3. */
const post = (message: object, configuration?: object): RequestInit => ({
  method: "POST",
  body: JSON.stringify({ message, configuration }),
});
const text = (content: string, fields: object = {}) =>
  post({ messageId: randomUUID(), role: "ROLE_USER", content: [{ text: content }], ...fields });

test("the card lists JSON-RPC and REST of A2A 0.3, but not for a client that names A2A 1.0", async () => {
  await using server = await openTestServer();
  const url = `${server.url}.well-known/agent-card.json`;

  const card = await jsonOf(await fetch(url));
  const newer = await jsonOf(await fetch(url, { headers: { "A2A-Version": "1.0" } }));

  expect(card.additionalInterfaces).toEqual([
    { url: server.url, transport: "JSONRPC" },
    { url: `${server.url}v0.3`, transport: "HTTP+JSON" },
  ]);
  expect(newer).not.toHaveProperty("additionalInterfaces");
});

test("a REST stream of A2A 0.3 has ProtoJSON frames and resumes after Last-Event-ID [LOG-02]", async () => {
  await using server = await openTestServer();
  const base = `${server.url}v0.3/v1/`;

  const response = await fetch(`${base}message:stream`, {
    ...text("hello"),
    headers: JSON_HEADERS,
  });
  const events = parseEvents(await response.text());
  const said = events.find(({ json }) => json.statusUpdate?.status.message);
  const rest = await fetch(`${base}tasks/${said?.json.statusUpdate.taskId}:subscribe`, {
    headers: { "Last-Event-ID": said?.id ?? "" },
  });
  const bad = await fetch(`${base}tasks/${said?.json.statusUpdate.taskId}:subscribe`, {
    headers: { "Last-Event-ID": "x" },
  });
  const last = events.at(-1);

  expect(said?.json.statusUpdate.status).toMatchObject({
    state: "TASK_STATE_WORKING",
    message: { role: "ROLE_AGENT", content: [{ text: "hello" }] },
  });
  expect(last?.json.statusUpdate).toMatchObject({
    status: { state: "TASK_STATE_COMPLETED" },
    final: true,
  });
  expect(parseEvents(await rest.text()).at(-1)).toEqual(last);
  expect(await jsonOf(bad)).toMatchObject({ data: { reason: "cursor-not-found" } });
});

test("a request to /v1 gets JSON of A2A 0.3 if it names A2A 0.3, else JSON of A2A 1.0", async () => {
  await using server = await openTestServer();
  const older = { ...JSON_HEADERS, "A2A-Version": "0.3" };

  const sent = await fetch(`${server.url}v1/message:send`, { ...text("hello"), headers: older });
  const { task } = await jsonOf(sent);
  const inHeader = await fetch(`${server.url}v1/tasks/${task.id}`, { headers: older });
  const inUrl = await fetch(`${server.url}v1/tasks/${task.id}?A2A-Version=0.3.0`);
  const newer = await fetch(`${server.url}v1/tasks/${task.id}`);

  expect(task.history[0].content).toEqual([{ text: "hello" }]);
  expect(await jsonOf(inHeader)).toMatchObject(task);
  expect(await jsonOf(inUrl)).toMatchObject(task);
  expect((await jsonOf(newer)).history[0].parts).toEqual([{ text: "hello" }]);
});

test("the tasks route of A2A 0.3 lists tasks in pages and filters them by state", async () => {
  await using server = await openTestServer();
  const base = `${server.url}v0.3/v1/`;
  for (const content of ["one", "two"]) {
    await fetch(`${base}message:send`, { ...text(content), headers: JSON_HEADERS });
  }

  const page = await jsonOf(await fetch(`${base}tasks?pageSize=1&status=TASK_STATE_COMPLETED`));
  const failed = await jsonOf(await fetch(`${base}tasks?status=TASK_STATE_FAILED`));

  expect(page.tasks).toMatchObject([{ status: { state: "TASK_STATE_COMPLETED" } }]);
  expect(page).toMatchObject({ totalSize: 2, nextPageToken: expect.stringMatching(/./) });
  expect(failed.tasks).toEqual([]);
});

test("a REST response of A2A 0.3 lists the active extensions in X-A2A-Extensions", async () => {
  await using server = await openTestServer();

  const response = await fetch(`${server.url}v0.3/v1/message:send`, {
    ...text("hello", {
      metadata: { [DEVELOPMENT_TOOL_URI]: { workspace_path: server.workspacePath } },
    }),
    headers: { ...JSON_HEADERS, "X-A2A-Extensions": DEVELOPMENT_TOOL_URI },
  });

  expect(response.headers.get("X-A2A-Extensions")).toBe(DEVELOPMENT_TOOL_URI);
});

test("a REST message of A2A 0.3 to a live endpoint starts a turn in the open task", async () => {
  await using server = await openTestServer({ isLive: true });

  const response = await fetch(`${server.url}v0.3/v1/message:send`, {
    ...text("hello"),
    headers: JSON_HEADERS,
  });
  const { task } = await jsonOf(response);

  expect(task).toMatchObject({ id: "live", history: [{ content: [{ text: "hello" }] }, {}] });
});

const refusals: readonly (readonly [string, string, RequestInit, number, string])[] = [
  ["a request for an unknown task", "tasks/no", {}, 404, "task-not-found"],
  ["a subscription to an unknown task", "tasks/no:subscribe", {}, 404, "task-not-found"],
  ["the cancel of an unknown task", "tasks/no:cancel", { method: "POST" }, 404, "task-not-found"],
  ["a GET of message:send", "message:send", {}, 405, "method-not-found"],
  ["a filter by an unknown state", "tasks?status=done", {}, 400, "invalid-message"],
  ["a body of broken JSON", "message:send", { method: "POST", body: "{" }, 400, "parse-error"],
  [
    "a body of type text/plain",
    "message:send",
    { method: "POST", body: "a=b", headers: { "Content-Type": "text/plain" } },
    415,
    "content-type-not-supported",
  ],
  [
    "a body that is too large",
    "message:stream",
    { method: "POST", body: " ".repeat(1024 * 1024 + 1) },
    413,
    "too-large",
  ],
  [
    "a body without a message",
    "message:send",
    { method: "POST", body: "{}" },
    400,
    "invalid-message",
  ],
  [
    "a message with `parts` instead of `content`",
    "message:send",
    post({ role: "ROLE_USER", parts: [] }),
    400,
    "invalid-message",
  ],
  [
    "a role in the spelling of JSON-RPC",
    "message:send",
    text("hello", { role: "user" }),
    400,
    "invalid-message",
  ],
  [
    "a push config without an address",
    PUSH_CONFIGS,
    { method: "POST", body: "{}" },
    400,
    "invalid-message",
  ],
  [
    "a push config for an unknown task",
    PUSH_CONFIGS,
    { method: "POST", body: '{"pushNotificationConfig":{"url":"https://example.com"}}' },
    404,
    "task-not-found",
  ],
  ["a list of push configs of an unknown task", PUSH_CONFIGS, {}, 404, "task-not-found"],
  ["a request for the extended card", "card", {}, 400, "unsupported-operation"],
  [
    "a request that names A2A 1.0",
    "tasks/no",
    { headers: { "A2A-Version": "1.0" } },
    400,
    "version-not-supported",
  ],
];

test.each(refusals)(
  "%s is refused, and the response body is the error object without a wrapper",
  async (_, path, init, status, reason) => {
    await using server = await openTestServer();

    const response = await fetch(`${server.url}v0.3/v1/${path}`, {
      ...init,
      headers: { ...JSON_HEADERS, ...init.headers },
    });
    const body = await jsonOf(response);

    expect([response.status, body.data.reason]).toEqual([status, reason]);
    expect(body).toEqual({
      code: expect.any(Number),
      message: expect.any(String),
      data: expect.any(Object),
    });
    expect(server.faults).toEqual([]);
  },
);

test("an error that occurs after a stream's headers were sent becomes an error event", async () => {
  const { opened, open } = gate();
  await using server = await openTestServer({
    heartbeatMs: 20,
    openAgent: async () => {
      await opened;
      throw new ProtocolError("agent-busy", "no more agents");
    },
  });

  const response = await fetch(`${server.url}v0.3/v1/message:stream`, {
    ...text("hello"),
    headers: JSON_HEADERS,
  });
  open();
  const lines = (await response.text()).split("\n").filter((line) => /^(event|data)/.test(line));

  expect(response.status).toBe(200);
  expect(lines[0]).toBe("event: error");
  expect(JSON.parse(lines[1]?.slice("data: ".length) ?? "")).toMatchObject({
    message: "no more agents",
    data: { reason: "agent-busy" },
  });
});

test("a second answer to the same question is refused with 409", async () => {
  await using server = await openTestServer({
    openAgent: createScriptedAgent(async (turn) => {
      await turn.ask(buildQuestion());
    }),
  });
  const send = (content: readonly object[], fields: object = {}) =>
    fetch(`${server.url}v0.3/v1/message:send`, {
      ...text("", { content, extensions: [DEVELOPMENT_TOOL_URI], ...fields }),
      headers: JSON_HEADERS,
    });
  const metadata = { [DEVELOPMENT_TOOL_URI]: { workspace_path: server.workspacePath } };
  const { task } = await jsonOf(await send([{ text: "hello" }], { metadata }));
  const { tool_call_id } = task.status.message.content[0].data.data;
  const answer = [{ data: { data: { tool_call_id, selected_option_id: "proceed_once" } } }];
  const address = { taskId: task.id, contextId: task.contextId };

  const first = await send(answer, address);
  const second = await send(answer, address);

  expect([first.status, second.status]).toEqual([200, 409]);
  expect(await jsonOf(second)).toMatchObject({ data: { reason: "confirmation-closed" } });
});

test("a request from a foreign origin to REST of A2A 0.3 is refused with 403 [SEC-01]", async () => {
  await using server = await openTestServer();

  const response = await fetch(`${server.url}v0.3/v1/tasks/no`, {
    headers: { Origin: "https://evil.example" },
  });

  expect(response.status).toBe(403);
});
