import { randomUUID } from "node:crypto";
import { SESSION_URI } from "@dt/schema";
import { buildQuestion } from "@dt/schema/testing";
import { createScriptedAgent, openTestServer } from "@dt/server/testing";
import { expect, test } from "vitest";
import { post, readStream } from "./support/raw-rpc.js";
import { deferred, openWsClient, refusedWith } from "./ws-client.js";

const message = (text: string, overrides: object = {}) => ({
  role: "ROLE_USER",
  messageId: randomUUID(),
  parts: [{ text }],
  ...overrides,
});
const request = (id: number | string, method: string, params: unknown) => ({
  jsonrpc: "2.0",
  id,
  method,
  params,
});

test("responses on a socket have the ids of their requests", async () => {
  await using server = await openTestServer();
  using client = await openWsClient(server.wsUrl);

  client.send(request("send", "SendMessage", { message: message("hello") }));
  const sent = await client.until((frame) => frame.id === "send");
  const { id: taskId, contextId } = sent.result.task;
  client.send(request("get", "GetTask", { id: taskId, historyLength: 1 }));
  client.send(request("list", "ListTasks", { contextId }));
  client.send(request("cancel", "CancelTask", { id: taskId }));
  client.send(request("push", "CreateTaskPushNotificationConfig", { taskId }));
  client.send(request("card", "GetExtendedAgentCard", {}));
  client.send(request("none", "DoMagic", {}));
  client.send(request("old", "tasks/get", { id: taskId }));
  const answer = (id: string) => client.until((frame) => frame.id === id);

  expect(sent.result.task.status.state).toBe("TASK_STATE_COMPLETED");
  expect((await answer("get")).result.history).toHaveLength(1);
  expect((await answer("list")).result).toMatchObject({ totalSize: 1, tasks: [{ id: taskId }] });
  expect((await answer("cancel")).error.code).toBe(-32002);
  expect((await answer("push")).error.message).toBe("url: expected a string");
  expect((await answer("card")).error.code).toBe(-32004);
  expect((await answer("none")).error.code).toBe(-32601);
  expect((await answer("old")).result.kind).toBe("task");
  expect(server.faults).toEqual([]);
});

test("two streams share one socket, and each has its own end frame", async () => {
  const gates = new Map([
    ["one", deferred()],
    ["two", deferred()],
  ]);
  const openAgent = createScriptedAgent(async (turn) => {
    await turn.say(`${turn.text} begins`);
    await gates.get(turn.text)?.promise;
    await turn.say(`${turn.text} ends`);
  });
  await using server = await openTestServer({ openAgent });
  using client = await openWsClient(server.wsUrl);

  client.send(request(1, "SendStreamingMessage", { message: message("one") }));
  client.send(request(2, "SendStreamingMessage", { message: message("two") }));
  await client.until((frame) => frame.id === 1 && textIn(frame) === "one begins");
  await client.until((frame) => frame.id === 2 && textIn(frame) === "two begins");
  gates.get("two")?.resolve();
  const second = await client.stream(2);
  gates.get("one")?.resolve();
  const first = await client.stream(1);

  for (const [name, frames] of [
    ["one", first],
    ["two", second],
  ] as const) {
    expect(frames.map(textIn).filter(Boolean)).toEqual([`${name} begins`, `${name} ends`]);
    expect(frames[0].result.task).toBeDefined();
    expect(frames.at(-1).result.statusUpdate.status.state).toBe("TASK_STATE_COMPLETED");
  }
});

test("a stream on a socket has the same events and cursors as over SSE [LOG-02]", async () => {
  await using server = await openTestServer();
  using client = await openWsClient(server.wsUrl);
  const params = { message: message("hello") };

  client.send(request(7, "SendStreamingMessage", params));
  const frames = await client.stream(7);
  const all = { "Last-Event-ID": "0" };
  const events = await readStream(await post(server.url, "SendStreamingMessage", params, all));

  expect(frames.map(({ cursor }) => cursor)).toEqual(events.map(({ id }) => id));
  expect(frames.map(({ result }) => result)).toEqual(events.map(({ json }) => json.result));
});

test("a subscription on a socket continues after its cursor, even if the task has ended [LOG-02]", async () => {
  await using server = await openTestServer({
    openAgent: createScriptedAgent(async (turn) => {
      for (const text of ["a", "b", "c"]) await turn.say(text);
    }),
  });
  using client = await openWsClient(server.wsUrl);
  client.send(request(1, "SendStreamingMessage", { message: message("go") }));
  const frames = await client.stream(1);
  const { id } = frames[0].result.task;
  const seen = frames.find((frame) => textIn(frame) === "b");

  client.send(request(2, "tasks/resubscribe", { id, after: seen.cursor }));
  const rest = await client.stream(2);
  client.send(request(3, "tasks/resubscribe", { id, after: rest.at(-1).cursor }));
  const nothing = await client.stream(3);
  client.send(request(4, "tasks/resubscribe", { id, after: 5 }));
  const refused = await client.stream(4);

  expect(rest.map(({ result }) => [result.kind, result.final])).toEqual([
    ["artifact-update", undefined],
    ["status-update", false],
    ["artifact-update", undefined],
    ["status-update", true],
  ]);
  expect(rest[1].result.status.message.parts[0].text).toBe("c");
  expect(nothing).toEqual([]);
  expect(refused[0].error.message).toContain("after: expected a cursor");
});

test("$/cancel stops one stream, and the turn and the socket continue", async () => {
  const gate = deferred();
  await using server = await openTestServer({
    openAgent: createScriptedAgent(async (turn) => {
      await turn.say("begun");
      await gate.promise;
    }),
  });
  using client = await openWsClient(server.wsUrl);
  client.send(request(1, "SendStreamingMessage", { message: message("go") }));
  const begun = await client.until((frame) => textIn(frame) === "begun");

  client.send({ jsonrpc: "2.0", method: "$/cancel", params: { id: 1 } });
  await client.stream(1);
  const { taskId } = begun.result.statusUpdate;
  client.send(request(2, "GetTask", { id: taskId }));
  const running = await client.until((frame) => frame.id === 2);
  client.send(request(3, "SubscribeToTask", { id: taskId }));
  await client.until((frame) => frame.id === 3);
  gate.resolve();
  const followed = await client.stream(3);

  expect(running.result.status.state).toBe("TASK_STATE_WORKING");
  expect(followed.at(-1).result.statusUpdate.status.state).toBe("TASK_STATE_COMPLETED");
});

test("a client can receive and answer a question over a socket [RFC-19]", async () => {
  await using server = await openTestServer({
    openAgent: createScriptedAgent(async (turn) => {
      const [answer] = await turn.ask(buildQuestion());
      await turn.say(`you chose ${answer?.selectedOptionId}`);
    }),
  });
  // A browser cannot set headers, so it activates the extension in the query.
  const query = `A2A-Extensions=${encodeURIComponent(SESSION_URI)}`;
  using client = await openWsClient(`${server.wsUrl}?${query}`);
  const settings = { workspace_path: server.workspacePath };
  const uri =
    "https://github.com/google-gemini/gemini-cli/blob/main/docs/a2a/developer-profile/v0/spec.md";

  client.send(
    request(1, "SendStreamingMessage", {
      message: message("go", { metadata: { [uri]: settings } }),
    }),
  );
  const asked = await client.stream(1);
  const { id: taskId, contextId } = asked[0].result.task;
  const data = { tool_call_id: "call-1", selected_option_id: "proceed_once" };
  client.send(
    request(2, "SendStreamingMessage", {
      message: message("", { taskId, contextId, parts: [{ data }] }),
    }),
  );
  const answered = await client.stream(2);

  expect(asked.at(-1).result.statusUpdate.status.state).toBe("TASK_STATE_INPUT_REQUIRED");
  expect(answered.map(textIn)).toContain("you chose proceed_once");
});

test("over a socket, a request whose id is missing or in use gets an error with the id null", async () => {
  await using server = await openTestServer({
    openAgent: createScriptedAgent(async (turn) => {
      await turn.ask(buildQuestion());
    }),
  });
  using client = await openWsClient(server.wsUrl);
  client.send(request(1, "SendMessage", { message: message("go") }));
  const task = (await client.until((frame) => frame.id === 1)).result.task;
  client.send(request(2, "SubscribeToTask", { id: task.id }));
  await client.until((frame) => frame.id === 2);

  client.send({ jsonrpc: "2.0", method: "GetTask", params: {} });
  const withoutId = await client.until((frame) => frame.id === null);
  client.send(request(2, "GetTask", { id: task.id }));
  const twice = await client.until(
    (frame) => frame.id === null && frame.error.message.includes("under way"),
  );
  client.send(request(3, "CancelTask", { id: task.id }));
  const followed = await client.stream(2);

  expect(withoutId.error).toMatchObject({ code: -32600 });
  expect(twice.error.code).toBe(-32600);
  expect(followed.at(-1).result.statusUpdate.status.state).toBe("TASK_STATE_CANCELED");
});

test("invalid JSON, binary data, large frames and a shutdown close a socket with different codes", async () => {
  const server = await openTestServer({ maxFrameBytes: 1000 });
  const [bad, binary, large, idle] = await Promise.all(
    Array.from({ length: 4 }, () => openWsClient(server.wsUrl)),
  );

  bad!.send("{");
  binary!.ws.send(Buffer.from("{}"));
  large!.send("x".repeat(2000));

  expect(await bad!.closed).toMatchObject({ code: 4400 });
  expect(bad!.frames).toMatchObject([{ id: null, error: { code: -32700 } }]);
  expect(await binary!.closed).toMatchObject({ code: 1003 });
  expect(await large!.closed).toMatchObject({ code: 1009 });
  await server[Symbol.asyncDispose]();
  expect(await idle!.closed).toEqual({ code: 1001, reason: "the server is shutting down" });
  expect(server.faults).toEqual([]);
});

test("a socket that does not answer pings is closed, and a socket that answers them stays open", async () => {
  await using server = await openTestServer({ pingMs: 500 });
  using silent = await openWsClient(server.wsUrl, { autoPong: false });
  using alive = await openWsClient(server.wsUrl);

  const { code } = await silent.closed;
  alive.send(request(1, "ListTasks", {}));

  expect(code).toBe(1006);
  expect((await alive.until((frame) => frame.id === 1)).result.tasks).toEqual([]);
});

test("an upgrade with a wrong origin, host, path, subprotocol or version is refused [SEC-01]", async () => {
  await using server = await openTestServer();

  expect(await refusedWith(server.wsUrl, { origin: "https://evil.example" })).toBe(403);
  expect(await refusedWith(server.wsUrl, { headers: { Host: "evil.example" } })).toBe(403);
  expect(await refusedWith(server.wsUrl.replace("/ws", "/other"))).toBe(404);
  expect(await refusedWith(server.wsUrl, { protocol: "mqtt" })).toBe(400);
  expect(await refusedWith(`${server.wsUrl}?A2A-Version=9.0`)).toBe(400);
  expect(server.sockets.size).toBe(0);
});

test("a turn and its other subscribers continue when the client that prompted disconnects", async () => {
  const gate = deferred();
  await using server = await openTestServer({
    openAgent: createScriptedAgent(async (turn) => {
      await turn.say("begun");
      await gate.promise;
      await turn.say("done");
    }),
  });
  using watcher = await openWsClient(server.wsUrl);
  const gone = await openWsClient(server.wsUrl);
  gone.send(request(1, "SendStreamingMessage", { message: message("go") }));
  const begun = await gone.until((frame) => textIn(frame) === "begun");
  watcher.send(request(1, "SubscribeToTask", { id: begun.result.statusUpdate.taskId }));
  await watcher.until((frame) => frame.id === 1);

  gone.ws.terminate();
  await gone.closed;
  gate.resolve();
  const frames = await watcher.stream(1);

  expect(frames.map(textIn)).toContain("done");
  expect(frames.at(-1).result.statusUpdate.status.state).toBe("TASK_STATE_COMPLETED");
  expect(server.faults).toEqual([]);
});

// biome-ignore lint/suspicious/noExplicitAny: frames of A2A 1.0 and 0.3.
function textIn({ result }: any): string | undefined {
  return result?.statusUpdate?.status.message?.parts[0]?.text;
}

test("a request id of more than 256 characters is refused and not repeated in the error [LOG-04]", async () => {
  await using server = await openTestServer();
  for (const protocol of ["a2a.v1", ""]) {
    using client = await openWsClient(server.wsUrl, { protocol });

    client.send(request("x".repeat(257), "SendStreamingMessage", { message: message("hello") }));
    const refused = await client.until(({ error }) => error !== undefined);

    expect(refused).toMatchObject({
      id: null,
      error: { code: -32600, message: "id: expected at most 256 characters" },
    });
  }
});
