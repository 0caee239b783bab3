import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { DEVELOPMENT_TOOL_URI, ProtocolError, SESSION_URI } from "@dt/schema";
import { expect, test } from "vitest";
import type { PushRecord } from "../../store/push-record.js";
import { openTestServer } from "../../testing/open-test-server.js";
import { ownConfigsOf } from "./own-configs.js";
import { pagePushes } from "./push-page.js";

// biome-ignore lint/suspicious/noExplicitAny: tests look into foreign JSON.
type Json = any;

const session = { "X-A2A-Extensions": `${DEVELOPMENT_TOOL_URI}, ${SESSION_URI}` };
const method = (name: string) => `tasks/pushNotificationConfig/${name}`;

/** Opens a server with one finished task, and a receiver whose answers a test sets. */
async function openStage() {
  const answers: number[] = [];
  const receiver = createServer((_request, response) => {
    response.writeHead(answers.shift() ?? 200).end();
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const push = { allowList: ["127.0.0.1"], retry: { baseMs: 600_000, maxMs: 600_000 } };
  const server = await openTestServer({ push });
  const call = async (name: string, params: unknown, headers: object = {}): Promise<Json> => {
    const response = await fetch(server.url, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: name, params }),
    });
    const { result, error } = (await response.json()) as Json;
    return error ?? result;
  };
  const parts = [{ kind: "text", text: "hi" }];
  const message = { kind: "message", role: "user", messageId: randomUUID(), parts };
  const { id: taskId } = await call("message/send", { message });
  return {
    call,
    taskId,
    answers,
    url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`,
    set: (config: object, headers: object = {}) =>
      call(method("set"), { taskId, pushNotificationConfig: config }, headers),
    get: (id: string | undefined, headers: object = {}) =>
      call(method("get"), { id: taskId, pushNotificationConfigId: id }, headers),
    async [Symbol.asyncDispose]() {
      receiver.close();
      receiver.closeAllConnections();
      await server[Symbol.asyncDispose]();
    },
  };
}

test("a client with the session extension gets the progress of a push config [RFC-03]", async () => {
  await using stage = await openStage();
  const { url, set, get } = stage;
  const info = async (id: string): Promise<Json> =>
    (await get(id, session)).pushNotificationConfig.metadata[SESSION_URI];
  const allEvents = { [SESSION_URI]: { all_events: true } };
  stage.answers.push(500, 410);

  await set({ id: "fails", url });
  await expect.poll(async () => (await info("fails")).failures).toBe(1);
  await set({ id: "gone", url: `${url}/gone` });
  await expect.poll(async () => (await info("gone")).failures).toBe(1);
  await set({ id: "works", url: `${url}/works`, metadata: allEvents }, session);
  await expect.poll(async () => (await info("works")).failures ?? 0).toBe(0);

  const { cursor } = await info("fails");
  expect(cursor).toMatch(/^\d+\./);
  expect(await info("fails")).toEqual({
    state: "RETRYING",
    cursor,
    failures: 1,
    next_attempt_at: expect.stringMatching(/^\d{4}-.*Z$/),
    last_error: "the receiver answered 500",
  });
  expect(await info("gone")).toEqual({
    state: "GAVE_UP",
    cursor,
    failures: 1,
    last_error: "the receiver answered 410",
  });
  expect(await info("works")).toEqual({ all_events: true, state: "DELIVERING", cursor });
  expect((await get("works")).pushNotificationConfig).toEqual({
    id: "works",
    url: `${url}/works`,
  });
});

test("a config is returned without its credentials [SEC-05]", async () => {
  await using stage = await openStage();
  const { url, taskId, set, get, call } = stage;
  const authentication = { schemes: ["Bearer", "Basic"], credentials: "secret" };

  const shown = await set({ id: "a", url, token: "token", authentication });

  const schemes = ["Bearer", "Basic"];
  const config = { id: "a", url, token: "token", authentication: { schemes } };
  expect(shown).toEqual({ taskId, pushNotificationConfig: config });
  expect(await get("a")).toEqual(shown);
  expect(await call(method("list"), { id: taskId })).toEqual([shown]);
});

test("a get request without an id returns the config that was set without an id, or the only config", async () => {
  await using stage = await openStage();
  const { url, taskId, set, get, call } = stage;
  const refusal = (what: string) => ({
    code: -32001,
    message: `the task ${taskId} does not have ${what}`,
  });

  const none = await get(undefined);
  await set({ id: "b", url });
  const only = await get(undefined);
  await set({ id: "c", url });
  const several = await get(undefined);
  const unknown = await get("d");
  await set({ url });
  const own = await get(undefined);
  const deleted = [
    await call(method("delete"), { id: taskId, pushNotificationConfigId: "b" }),
    await call(method("delete"), { id: taskId, pushNotificationConfigId: "b" }),
  ];

  expect([none, several, unknown]).toMatchObject([
    refusal("a push config"),
    refusal("a push config"),
    refusal("the push config d"),
  ]);
  expect(only.pushNotificationConfig.id).toBe("b");
  expect(own.pushNotificationConfig.id).toBe(taskId);
  expect(deleted).toEqual([null, null]);
  expect(await get("b")).toMatchObject(refusal("the push config b"));
});

test("in A2A 1.0, each request without an id creates a new config", async () => {
  await using stage = await openStage();
  const { url, taskId, call } = stage;
  const create = (id?: string) =>
    call("CreateTaskPushNotificationConfig", { taskId, url, ...(id !== undefined && { id }) });

  const ids = [(await create()).id, (await create()).id, (await create()).id];

  expect(new Set([...ids, taskId]).size).toBe(4);
  expect(await create()).toMatchObject({
    message: "the task has 3 push configs already; delete one first",
    data: [{ reason: "AGENT_BUSY" }, { value: { maxPushConfigs: 3 } }],
  });
  expect(await create(ids[0])).toMatchObject({ id: ids[0] });
});

test("push methods refuse the tasks of other users", async () => {
  await using stage = await openStage();
  const { taskId, url, call } = stage;
  const stranger = { "x-test-user": "bob" };
  const address = { id: taskId, pushNotificationConfigId: taskId };

  const refused = [
    await call(method("set"), { taskId, pushNotificationConfig: { url } }, stranger),
    await call(method("get"), { id: taskId }, stranger),
    await call(method("list"), { id: taskId }, stranger),
    await call(method("delete"), address, stranger),
  ];

  const refusal = { code: -32001, message: `there is no task ${taskId}` };
  expect(refused).toMatchObject([refusal, refusal, refusal, refusal]);
});

test("all push methods are refused if push is off [RFC-03]", async () => {
  await using server = await openTestServer({ push: false });
  const params = { id: "t", taskId: "t", pushNotificationConfigId: "c" };
  const response = (name: string) =>
    fetch(server.url, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: method(name),
        params: { ...params, pushNotificationConfig: { url: "http://a.example" } },
      }),
    });

  for (const name of ["set", "get", "list", "delete"]) {
    expect(await (await response(name)).json()).toMatchObject({
      error: { code: -32003, message: "this agent sends no push notifications" },
    });
  }
});

const pushes = ["c", "a", "é", "b"].map((configId) => ({ configId }) as PushRecord);
const idsOf = (page: { readonly pushes: readonly PushRecord[] }) =>
  page.pushes.map(({ configId }) => configId);

test("configs are listed in the order of their ids, all at once or in pages", () => {
  const all = pagePushes(pushes, {});
  const first = pagePushes(pushes, { pageSize: 3 });
  const { nextPageToken = "" } = first;
  const last = pagePushes(pushes, { pageSize: 3, pageToken: nextPageToken });

  expect(idsOf(all)).toEqual(["a", "b", "c", "é"]);
  expect(all).not.toHaveProperty("nextPageToken");
  expect(idsOf(first)).toEqual(["a", "b", "c"]);
  expect(idsOf(last)).toEqual(["é"]);
  expect(last).not.toHaveProperty("nextPageToken");
  expect(pagePushes(pushes, { pageSize: 4 })).not.toHaveProperty("nextPageToken");
  expect(pagePushes([], { pageSize: 4 })).toEqual({ pushes: [] });
  expect(idsOf(pagePushes(pushes, { pageToken: nextPageToken }))).toEqual(["é"]);
});

test("an invalid page token is refused", () => {
  expect(() => pagePushes(pushes, { pageToken: "not one!" })).toThrow(
    new ProtocolError(
      "invalid-message",
      "pageToken: expected a token from an earlier page of this list",
      { data: { path: "pageToken" } },
    ),
  );
});

test("two users have configs of the same id, and each sees only their own [SEC-05]", () => {
  const target = { url: "https://a.example/" } as PushRecord["target"];
  const session = { owner: "ada" };
  const ofUser = (user: string) =>
    ownConfigsOf(session, { caller: { user } } as Parameters<typeof ownConfigsOf>[1]);
  const [ada, bob, eve] = ["ada", 'b"ob', "eve"].map(ofUser);
  const records = [ada, bob].map(
    (own) =>
      ({ configId: own?.toStoredId("a"), target: own?.toStoredTarget(target) }) as PushRecord,
  );

  expect(records.map(({ configId }) => configId)).toEqual(["a", '"b\\"ob"/a']);
  expect(ada?.select(records)).toEqual([{ configId: "a", target }]);
  expect(bob?.select(records)).toEqual([{ configId: "a", target: { ...target, user: 'b"ob' } }]);
  expect(eve?.select(records)).toEqual([]);
  const live = ownConfigsOf(session, {
    caller: { user: "eve" },
    shared: async () => undefined,
  } as unknown as Parameters<typeof ownConfigsOf>[1]);
  expect(live.select(records)).toEqual([{ configId: "a", target }]);
});
