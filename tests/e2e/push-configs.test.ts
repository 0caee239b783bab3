import { randomUUID } from "node:crypto";
import { ClientFactory, ClientFactoryOptions } from "@a2a-js/sdk/client";
import { A2AClient } from "@a2a-js/sdk-0.3/client";
import { SESSION_URI } from "@dt/schema";
import { buildQuestion } from "@dt/schema/testing";
import { createScriptedAgent, openTestServer } from "@dt/server/testing";
import { expect, test } from "vitest";
import { openStage } from "./support/open-stage.js";
import { openPushReceiver } from "./support/push-receiver.js";
import { post } from "./support/raw-rpc.js";
import { jsonOf, openWsClient } from "./ws-client.js";

const PUSH = { allowList: ["127.0.0.1"], retry: { baseMs: 60_000 } };
/** An address without a listener, so that configs are stored but no delivery succeeds. */
const HOOK_URL = "http://127.0.0.1:9/hook";
const AUTHENTICATION = { scheme: "Bearer", credentials: "key" };

async function startTask(serverUrl: string, headers: Record<string, string> = {}): Promise<string> {
  const message = { role: "ROLE_USER", messageId: randomUUID(), parts: [{ text: "hello" }] };
  const { result } = await jsonOf(await post(serverUrl, "SendMessage", { message }, headers));
  return result.task.id;
}

/** Calls a method over one transport. Returns the result or throws the error. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into foreign JSON.
type Call = (method: string, params: any) => Promise<any>;

const overHttp =
  (serverUrl: string): Call =>
  async (method, params) => {
    const { result, error } = await jsonOf(await post(serverUrl, method, params));
    if (error !== undefined) throw new Error(`${error.code} ${error.message}`);
    return result;
  };

const overSocket =
  (wsUrl: string): Call =>
  async (method, params) => {
    using client = await openWsClient(wsUrl);
    client.send({ jsonrpc: "2.0", id: "x", method, params });
    const { result, error } = await client.until((frame) => frame.id === "x");
    if (error !== undefined) throw new Error(`${error.code} ${error.message}`);
    return result;
  };

const overRest =
  (serverUrl: string): Call =>
  async (method, { taskId, id, ...rest }) => {
    const base = `${serverUrl}v1/tasks/${taskId}/pushNotificationConfigs`;
    const query = method.startsWith("List") ? `?${new URLSearchParams(rest)}` : "";
    const verb = method.startsWith("Create")
      ? "POST"
      : method.startsWith("Delete")
        ? "DELETE"
        : "GET";
    const response = await fetch(
      verb === "POST" || id === undefined ? `${base}${query}` : `${base}/${id}`,
      {
        method: verb,
        ...(verb === "POST" && {
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ id, ...rest }),
        }),
      },
    );
    const json = await jsonOf(response);
    if (json.error !== undefined) throw new Error(json.error.message);
    return json;
  };

for (const [way, open] of [
  ["JSON-RPC", (server: { url: string }) => overHttp(server.url)],
  ["REST", (server: { url: string }) => overRest(server.url)],
  ["a WebSocket", (server: { wsUrl: string }) => overSocket(server.wsUrl)],
] as const) {
  test(`A2A 1.0 push configs are created, read, listed and deleted over ${way} [RFC-03]`, async () => {
    await using server = await openTestServer({ push: PUSH });
    const taskId = await startTask(server.url);
    const call = open(server);

    const created = await call("CreateTaskPushNotificationConfig", {
      taskId,
      id: "a",
      url: HOOK_URL,
      token: "t",
      authentication: AUTHENTICATION,
    });
    const unnamed = await call("CreateTaskPushNotificationConfig", { taskId, url: HOOK_URL });
    const read = await call("GetTaskPushNotificationConfig", { taskId, id: "a" });
    const listed = await call("ListTaskPushNotificationConfigs", { taskId });
    const deleted = await call("DeleteTaskPushNotificationConfig", { taskId, id: "a" });
    const again = await call("DeleteTaskPushNotificationConfig", { taskId, id: "a" });
    const rest = await call("ListTaskPushNotificationConfigs", { taskId });

    // The server does not return the credentials.
    const shown = {
      taskId,
      id: "a",
      url: HOOK_URL,
      token: "t",
      authentication: { scheme: "Bearer" },
    };
    expect(created).toEqual(shown);
    expect(unnamed).toEqual({ taskId, id: expect.any(String), url: HOOK_URL });
    expect(read).toEqual(shown);
    expect(new Set(listed.configs.map(({ id }: { id: string }) => id))).toEqual(
      new Set(["a", unnamed.id]),
    );
    expect(listed.nextPageToken).toBe("");
    expect([deleted, again]).toEqual(way === "REST" ? [{}, {}] : [null, null]);
    expect(rest.configs).toEqual([unnamed]);
    await expect(call("GetTaskPushNotificationConfig", { taskId, id: "a" })).rejects.toThrow(
      "does not have the push config a",
    );
    expect(server.faults).toEqual([]);
  });
}

for (const [way, open] of [
  ["JSON-RPC", (server: { url: string }) => overHttp(server.url)],
  ["REST", (server: { url: string }) => overRest(server.url)],
] as const) {
  test(`A2A 1.0 push configs are listed page by page over ${way} [RFC-03]`, async () => {
    await using server = await openTestServer({ push: PUSH });
    const taskId = await startTask(server.url);
    const call = open(server);
    for (const id of ["b", "é", "a"]) {
      await call("CreateTaskPushNotificationConfig", { taskId, id, url: HOOK_URL });
    }
    const list = (query: object) => call("ListTaskPushNotificationConfigs", { taskId, ...query });
    const idsOf = ({ configs }: { configs: { id: string }[] }) => configs.map(({ id }) => id);

    const first = await list({ pageSize: 1 });
    const second = await list({ pageSize: 1, pageToken: first.nextPageToken });
    await call("DeleteTaskPushNotificationConfig", { taskId, id: "b" });
    const third = await list({ pageSize: 1, pageToken: second.nextPageToken });

    expect([first, second, third].map(idsOf)).toEqual([["a"], ["b"], ["é"]]);
    expect(third.nextPageToken).toBe("");
    await expect(list({ pageToken: "not one!" })).rejects.toThrow("pageToken: expected a token");
    await expect(list({ pageSize: "many" })).rejects.toThrow("pageSize: expected a whole number");
  });
}

for (const [way, open] of [
  ["JSON-RPC", (server: { url: string }) => overHttp(server.url)],
  ["a WebSocket", (server: { wsUrl: string }) => overSocket(server.wsUrl)],
] as const) {
  test(`A2A 0.3 push configs are set, read, listed and deleted over ${way} [RFC-03]`, async () => {
    await using server = await openTestServer({ push: PUSH });
    const taskId = await startTask(server.url);
    const call = open(server);
    const method = (name: string) => `tasks/pushNotificationConfig/${name}`;
    const schemes = ["Bearer", "Basic"];
    const named = { id: "b", url: HOOK_URL, authentication: { schemes, credentials: "key" } };

    const own = await call(method("set"), { taskId, pushNotificationConfig: { url: HOOK_URL } });
    await call(method("set"), { taskId, pushNotificationConfig: { url: `${HOOK_URL}/2` } });
    const other = await call(method("set"), { taskId, pushNotificationConfig: named });
    const read = await call(method("get"), { id: taskId });
    const readNamed = await call(method("get"), { id: taskId, pushNotificationConfigId: "b" });
    const listed = await call(method("list"), { id: taskId });
    const params = { id: taskId, pushNotificationConfigId: taskId };
    const deleted = await call(method("delete"), params);
    const onlyOne = await call(method("get"), { id: taskId });

    expect(own).toEqual({ taskId, pushNotificationConfig: { id: taskId, url: HOOK_URL } });
    // A second config without an id replaces the first one.
    expect(read).toEqual({ taskId, pushNotificationConfig: { id: taskId, url: `${HOOK_URL}/2` } });
    const shown = {
      taskId,
      pushNotificationConfig: { id: "b", url: HOOK_URL, authentication: { schemes } },
    };
    expect(other).toEqual(shown);
    expect(readNamed).toEqual(shown);
    expect(listed).toHaveLength(2);
    expect(deleted).toBe(null);
    expect(onlyOne).toEqual(shown);
    expect(server.faults).toEqual([]);
  });
}

test("the official SDK client 1.3.0 can use all push methods over JSON-RPC and REST [RFC-03]", async () => {
  await using server = await openTestServer({ push: PUSH });
  for (const transport of ["JSONRPC", "HTTP+JSON"]) {
    const taskId = await startTask(server.url);
    const client = await new ClientFactory(
      ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
        preferredTransports: [transport],
      }),
    ).createFromUrl(server.url);
    const config = {
      tenant: "",
      taskId,
      id: "mine",
      url: HOOK_URL,
      token: "t",
      authentication: AUTHENTICATION,
    };

    const created = await client.createTaskPushNotificationConfig(config);
    const read = await client.getTaskPushNotificationConfig({ tenant: "", taskId, id: "mine" });
    const listed = await client.listTaskPushNotificationConfig({
      tenant: "",
      taskId,
      pageSize: 0,
      pageToken: "",
    });
    await client.deleteTaskPushNotificationConfig({ tenant: "", taskId, id: "mine" });

    const shown = { ...config, authentication: { scheme: "Bearer", credentials: "" } };
    expect(created).toEqual(shown);
    expect(read).toEqual(shown);
    expect(listed.configs).toEqual([shown]);
    await expect(
      client.getTaskPushNotificationConfig({ tenant: "", taskId, id: "mine" }),
    ).rejects.toThrow("does not have the push config mine");
  }
});

test("the official SDK client 0.3 can use all push methods [RFC-03]", async () => {
  await using server = await openTestServer({ push: PUSH });
  const taskId = await startTask(server.url);
  const client = await A2AClient.fromCardUrl(`${server.url}.well-known/agent-card.json`);

  const set = await client.setTaskPushNotificationConfig({
    taskId,
    pushNotificationConfig: { id: "mine", url: HOOK_URL },
  });
  const read = await client.getTaskPushNotificationConfig({ id: taskId });
  const listed = await client.listTaskPushNotificationConfig({ id: taskId });
  const deleted = await client.deleteTaskPushNotificationConfig({
    id: taskId,
    pushNotificationConfigId: "mine",
  });

  const shown = { taskId, pushNotificationConfig: { id: "mine", url: HOOK_URL } };
  expect(set).toMatchObject({ result: shown });
  expect(read).toMatchObject({ result: shown });
  expect(listed).toMatchObject({ result: [shown] });
  expect(deleted).toMatchObject({ result: null });
});

for (const version of ["0.3", "1.0"] as const) {
  test(`@dt/client can use all push methods over A2A ${version} [RFC-03]`, async () => {
    await using stage = await openStage({
      server: { openAgent: createScriptedAgent(), push: PUSH },
    });
    const client = await stage.connect({ version });
    const { push: configs } = await client.startTask({
      workspacePath: stage.workspace.root,
      prompt: "hello",
    });

    const set = await configs.set({
      id: "mine",
      url: HOOK_URL,
      token: "t",
      authentication: AUTHENTICATION,
    });
    const read = await configs.get("mine");
    const listed = await configs.list();
    await configs.delete("mine");

    const shown = { id: "mine", url: HOOK_URL, token: "t", authentication: { scheme: "Bearer" } };
    expect([set, read]).toEqual([shown, shown]);
    expect(listed).toEqual([shown]);
    expect(await configs.list()).toEqual([]);
    await expect(configs.get("mine")).rejects.toThrow("does not have the push config mine");
  });
}

test("a push config in the first message of an official client gets deliveries [RFC-03]", async () => {
  await using receiver = await openPushReceiver();
  await using stage = await openStage({ server: { openAgent: createScriptedAgent(), push: PUSH } });
  const client = await new ClientFactory().createFromUrl(stage.url);
  const older = await A2AClient.fromCardUrl(`${stage.url}.well-known/agent-card.json`);

  await client.sendMessage({
    message: {
      messageId: randomUUID(),
      role: 1,
      parts: [{ content: { $case: "text", value: "hello" } }],
    },
    configuration: {
      acceptedOutputModes: [],
      returnImmediately: true,
      taskPushNotificationConfig: {
        tenant: "",
        id: "",
        taskId: "",
        url: `${receiver.url}/1.0`,
        token: "t",
        authentication: AUTHENTICATION,
      },
    },
  } as never);
  await older.sendMessage({
    message: {
      kind: "message",
      messageId: randomUUID(),
      role: "user",
      parts: [{ kind: "text", text: "hello" }],
    },
    configuration: {
      blocking: false,
      pushNotificationConfig: { url: `${receiver.url}/0.3`, token: "t" },
    },
  });
  const receivedOf = (version: string) =>
    receiver.received.filter((request) => request.url.endsWith(version));
  await receiver.until(() => receivedOf("1.0").length === 2 && receivedOf("0.3").length === 2);

  expect(receivedOf("1.0").map(({ json }) => json.statusUpdate.status.state)).toEqual([
    "TASK_STATE_WORKING",
    "TASK_STATE_COMPLETED",
  ]);
  expect(receivedOf("1.0")[0]?.headers.authorization).toBe("Bearer key");
  expect(receivedOf("0.3").map(({ json }) => json.status.state)).toEqual(["working", "completed"]);
  expect(receivedOf("0.3")[1]?.json.artifacts).toMatchObject([{ parts: [{ text: "hello" }] }]);
  expect(stage.faults).toEqual([]);
});

test("a user cannot use any push method for another user's task [RFC-03, SEC-03]", async () => {
  await using server = await openTestServer({ push: PUSH });
  const taskId = await startTask(server.url, { "X-Test-User": "alice" });
  const mallory = { "X-Test-User": "mallory" };
  const config = { taskId, id: "a", url: HOOK_URL };
  await post(server.url, "CreateTaskPushNotificationConfig", config, {
    "X-Test-User": "alice",
  });

  for (const [method, params] of [
    ["CreateTaskPushNotificationConfig", config],
    ["GetTaskPushNotificationConfig", { taskId, id: "a" }],
    ["ListTaskPushNotificationConfigs", { taskId }],
    ["DeleteTaskPushNotificationConfig", { taskId, id: "a" }],
  ] as const) {
    const { error } = await jsonOf(await post(server.url, method, params, mallory));

    expect(error).toMatchObject({ code: -32001, message: `there is no task ${taskId}` });
  }
});

test("a fourth push config is refused if the limit per task is three, even in a message", async () => {
  await using server = await openTestServer({
    push: PUSH,
    openAgent: createScriptedAgent(async (turn) => {
      await turn.ask(buildQuestion());
    }),
  });
  const taskId = await startTask(server.url);
  const set = (id: string) =>
    post(server.url, "CreateTaskPushNotificationConfig", { taskId, id, url: HOOK_URL });
  for (const id of ["a", "b", "c"]) await set(id);

  const { error } = await jsonOf(await set("d"));
  const replaced = await jsonOf(await set("b"));
  const message = {
    role: "ROLE_USER",
    taskId,
    messageId: randomUUID(),
    parts: [{ text: "proceed_once" }],
  };
  const configuration = { taskPushNotificationConfig: { id: "d", url: HOOK_URL } };
  const sent = await jsonOf(await post(server.url, "SendMessage", { message, configuration }));
  const task = await jsonOf(await post(server.url, "GetTask", { id: taskId }));

  const value = { reason: "agent-busy", maxPushConfigs: 3 };
  const refusal = { code: -32051, data: [{ reason: "AGENT_BUSY" }, { value }] };
  expect(error).toMatchObject(refusal);
  expect(replaced.result.id).toBe("b");
  // The refused message was also an answer. It was not accepted, so the question is still open.
  expect(sent.error).toMatchObject(refusal);
  expect(task.result.status.state).toBe("TASK_STATE_INPUT_REQUIRED");
});

test("a message with a wrong push config is refused with the path of the wrong field", async () => {
  const texts: string[] = [];
  await using server = await openTestServer({
    push: PUSH,
    openAgent: createScriptedAgent(async ({ text }) => {
      texts.push(text);
      return undefined;
    }),
  });
  const send = async (taskPushNotificationConfig: object) => {
    const message = { role: "ROLE_USER", messageId: "same", parts: [{ text: "hello" }] };
    const configuration = { taskPushNotificationConfig };
    return await jsonOf(await post(server.url, "SendMessage", { message, configuration }));
  };

  const missing = await send({ token: "t" });
  const local = await send({ url: "http://10.0.0.1/" });
  const good = await send({ url: HOOK_URL });
  const repeated = await send({ url: `${HOOK_URL}/other` });
  const taskId = good.result.task.id;
  const listed = await jsonOf(
    await post(server.url, "ListTaskPushNotificationConfigs", { taskId }),
  );

  expect(missing.error.message).toBe(
    "configuration.taskPushNotificationConfig.url: expected a string",
  );
  expect(local.error.message).toMatch(/^configuration.taskPushNotificationConfig.url: 10.0.0.1 is/);
  expect(texts).toEqual(["hello"]);
  // The message was sent again with another URL, which did not change the config.
  expect(repeated.result.task.id).toBe(taskId);
  expect(listed.result.configs).toEqual([{ taskId, id: taskId, url: HOOK_URL }]);
});

test("a push config that only the re-sent message contains is stored", async () => {
  await using server = await openTestServer({ push: PUSH });
  const send = async (id?: string) => {
    const message = { role: "ROLE_USER", messageId: "same", parts: [{ text: "hello" }] };
    const configuration =
      id === undefined ? {} : { taskPushNotificationConfig: { id, url: HOOK_URL } };
    return await jsonOf(await post(server.url, "SendMessage", { message, configuration }));
  };

  const sent = await Promise.all([send(), send("at-once")]);
  sent.push(await send("later"));
  const [taskId] = sent.map(({ result }) => result.task.id);
  const listed = await jsonOf(
    await post(server.url, "ListTaskPushNotificationConfigs", { taskId }),
  );

  expect(sent.map(({ result }) => result.task.id)).toEqual([taskId, taskId, taskId]);
  expect(listed.result.configs.map(({ id }: { id: string }) => id)).toEqual(["at-once", "later"]);
  expect(server.faults).toEqual([]);
});

test("a push config in an answer is stored, even if the answer is unclear", async () => {
  await using server = await openTestServer({
    push: PUSH,
    openAgent: createScriptedAgent(async (turn) => {
      await turn.ask(buildQuestion());
    }),
  });
  const taskId = await startTask(server.url);
  const send = (text: string, id: string) =>
    post(server.url, "SendMessage", {
      message: { role: "ROLE_USER", taskId, messageId: randomUUID(), parts: [{ text }] },
      configuration: { taskPushNotificationConfig: { id, url: HOOK_URL } },
    });

  await send("what?", "with-nonsense");
  const answered = await jsonOf(await send("proceed_once", "with-answer"));
  const listed = await jsonOf(
    await post(server.url, "ListTaskPushNotificationConfigs", { taskId }),
  );

  expect(answered.result.task.status.state).toBe("TASK_STATE_COMPLETED");
  expect(listed.result.configs.map(({ id }: { id: string }) => id)).toEqual([
    "with-answer",
    "with-nonsense",
  ]);
  expect(server.faults).toEqual([]);
});

test("the delivery state of a push config is shown only with the session extension", async () => {
  await using server = await openTestServer({ push: PUSH });
  const taskId = await startTask(server.url);
  const metadata = { [SESSION_URI]: { all_events: true } };
  const config = { taskId, id: "a", url: HOOK_URL, metadata };
  const knowing = { "A2A-Extensions": SESSION_URI };

  const plain = await jsonOf(await post(server.url, "CreateTaskPushNotificationConfig", config));
  const shown = await jsonOf(
    await post(server.url, "GetTaskPushNotificationConfig", { taskId, id: "a" }, knowing),
  );

  expect(plain.result).not.toHaveProperty("metadata");
  expect(shown.result.metadata[SESSION_URI]).toMatchObject({
    all_events: true,
    state: expect.stringMatching(/DELIVERING|RETRYING/),
    cursor: expect.any(String),
  });
});

test("the card shows whether push is on, and a server without push refuses all push methods", async () => {
  await using calling = await openTestServer();
  await using silent = await openTestServer({ push: false });
  const taskId = await startTask(silent.url);
  const cardOf = async (server: { url: string }) =>
    await jsonOf(await fetch(`${server.url}.well-known/agent-card.json`));

  expect((await cardOf(calling)).capabilities.pushNotifications).toBe(true);
  expect((await cardOf(silent)).capabilities.pushNotifications).toBe(false);
  for (const [method, params] of [
    ["CreateTaskPushNotificationConfig", { taskId, url: HOOK_URL }],
    ["GetTaskPushNotificationConfig", { taskId, id: "a" }],
    ["ListTaskPushNotificationConfigs", { taskId }],
    ["DeleteTaskPushNotificationConfig", { taskId, id: "a" }],
  ] as const) {
    const { error } = await jsonOf(await post(silent.url, method, params));

    expect(error.code).toBe(-32003);
  }
});

test("a client of a live endpoint can set a push config for the live session", async () => {
  await using receiver = await openPushReceiver();
  await using server = await openTestServer({ push: PUSH, isLive: true });

  const config = { taskId: "live", id: "a", url: receiver.url };
  const set = await jsonOf(await post(server.url, "CreateTaskPushNotificationConfig", config));
  const message = { role: "ROLE_USER", messageId: randomUUID(), parts: [{ text: "hello" }] };
  await post(server.url, "SendMessage", { message });
  await receiver.until(() => receiver.received.length === 2);

  expect(set.result).toEqual(config);
  expect(receiver.received.map(({ json }) => json.statusUpdate.status.state)).toEqual([
    "TASK_STATE_WORKING",
    "TASK_STATE_COMPLETED",
  ]);
  expect(server.faults).toEqual([]);
});
