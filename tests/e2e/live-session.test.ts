import { ClientFactory } from "@a2a-js/sdk/client";
import { A2AClient } from "@a2a-js/sdk-0.3/client";
import { connect } from "@dt/client";
import { canMoveTask, DEVELOPMENT_TOOL_URI, type TaskState } from "@dt/schema";
import { createLogger, openMemoryStore } from "@dt/server";
import { expect, test } from "vitest";
import { isIdle, openLiveStage } from "./support/open-live-stage.js";
import { post, readStream } from "./support/raw-rpc.js";
import { watchTask } from "./support/watch-task.js";
import { openWsClient } from "./ws-client.js";

// biome-ignore lint/suspicious/noExplicitAny: tests look into foreign JSON.
async function resultOf(response: Response): Promise<any> {
  return ((await response.json()) as { result: unknown }).result;
}

const text03 = (messageId: string, text: string, more: object = {}) => ({
  message: { kind: "message", role: "user", messageId, parts: [{ kind: "text", text }], ...more },
});
const text10 = (messageId: string, text: string, more: object = {}) => ({
  message: { role: "ROLE_USER", messageId, parts: [{ text }], ...more },
});
const active = { "A2A-Extensions": DEVELOPMENT_TOOL_URI };

test("a prompt with or without ids goes to the open task, even after a failed turn [CLI-10]", async () => {
  await using stage = await openLiveStage();
  const { taskId, contextId } = stage.live;
  const fresh = await resultOf(await post(stage.url, "GetTask", { id: taskId }));

  const unnamed = await readStream(
    await post(stage.url, "message/stream", text03("a", "say one"), active),
  );
  const named = await readStream(
    await post(stage.url, "SendStreamingMessage", text10("b", "say two", { taskId }), active),
  );
  const inContext = await readStream(
    await post(stage.url, "SendStreamingMessage", text10("c", "fail three", { contextId }), active),
  );
  const again = await resultOf(
    await post(stage.url, "SendMessage", text10("d", "say four", { taskId, contextId }), active),
  );

  expect(fresh).toMatchObject({ id: taskId, status: { state: "TASK_STATE_INPUT_REQUIRED" } });
  expect(unnamed[0]?.json.result).toMatchObject({ kind: "task", id: taskId, contextId });
  expect(unnamed.at(-1)?.json.result).toMatchObject({
    taskId,
    final: true,
    status: { state: "input-required" },
  });
  expect(named[0]?.json.result.task.id).toBe(taskId);
  expect(named.at(-1)?.json.result.statusUpdate.status.state).toBe("TASK_STATE_INPUT_REQUIRED");
  const failed = inContext.at(-1)?.json.result.statusUpdate;
  expect(failed.status.state).toBe("TASK_STATE_INPUT_REQUIRED");
  expect(failed.metadata[DEVELOPMENT_TOOL_URI].error).toContain("three");
  expect(again.task).toMatchObject({ id: taskId, status: { state: "TASK_STATE_INPUT_REQUIRED" } });
  expect(stage.faults).toEqual([]);
});

test("the open task makes only legal transitions on failure, cancel and exit [CLI-10, SRV-07]", async () => {
  await using stage = await openLiveStage();
  const { taskId } = stage.live;
  const states: TaskState[] = [];
  const watching = (async () => {
    for await (const batch of stage.live.events({}))
      states.push(...batch.map(({ state }) => state));
  })();

  await post(stage.url, "message/send", text03("a", "fail one"));
  await stage.type("wait 60000");
  await stage.until((event) => event.kind === "USER_PROMPT" && event.messageId === "typed-1");
  const cancelled = await resultOf(await post(stage.url, "tasks/cancel", { id: taskId }, active));
  const idle = (await (await post(stage.url, "tasks/cancel", { id: taskId })).json()) as object;
  await post(stage.url, "message/send", text03("b", "say two"));
  await stage.live.close();
  await watching;

  expect(cancelled.status.state).toBe("input-required");
  expect(cancelled.metadata[DEVELOPMENT_TOOL_URI].error).toBe("the turn was cancelled");
  expect(idle).toMatchObject({ error: { code: -32002 } });
  expect(states.at(-1)).toBe("completed");
  const moves = states.slice(1).map((state, index) => [states[index] ?? state, state] as const);
  expect(moves.filter(([from, to]) => !canMoveTask(from, to))).toEqual([]);
});

test("streams end when the terminal exits, and a resume keeps the task id [CLI-02, CLI-10]", async () => {
  const kept = openMemoryStore();
  const openStore = () => ({ ...kept, close: async () => {} });
  await using stage = await openLiveStage({ openStore });
  const { taskId } = stage.live;
  using socket = await openWsClient(stage.wsUrl);
  const subscribed = post(stage.url, "tasks/resubscribe", { id: taskId }, active);
  await stage.type("say before");
  const before = await stage.until((event) => event.kind === "TEXT_CONTENT");
  await stage.until(isIdle, before.cursor);
  const stream = readStream(await subscribed);

  await stage.resume();
  const seen = await stream;
  const socketEnd = await socket.closed;
  const after = await resultOf(
    await post(stage.url, "SendMessage", text10("a", "say after", { taskId }), active),
  );

  expect(seen.at(-1)?.json.result).toMatchObject({ final: true, status: { state: "completed" } });
  expect(socketEnd.code).toBe(1001);
  const last = socket.frames.at(-1)?.params.statusUpdate;
  expect(last.status.state).toBe("TASK_STATE_COMPLETED");
  expect(after.task.id).toBe(taskId);
  expect(JSON.stringify(after.task.history)).toContain("before");
  expect(stage.faults).toEqual([]);
});

test("a live session ignores a foreign context id and refuses a foreign workspace or task", async () => {
  await using stage = await openLiveStage();
  const settings = (workspace_path: string) => ({
    metadata: { [DEVELOPMENT_TOOL_URI]: { workspace_path } },
  });
  const send = async (message: object) => {
    const sent = await post(stage.url, "message/send", message, active);
    return ((await sent.json()) as { error?: { code: number; message: string } }).error;
  };
  const code = async (message: object) => (await send(message))?.code;

  expect(await code(text03("a", "say one"))).toBeUndefined();
  expect(await code(text03("b", "say two", settings(stage.workspace.root)))).toBeUndefined();
  expect(await send(text03("c", "say three", settings("/")))).toMatchObject({
    code: -32053,
    message: `workspace_path: this session works only in ${stage.workspace.root}; leave the field out to use it`,
  });
  expect(await code(text03("d", "say four", { contextId: "another" }))).toBeUndefined();
  expect(await code(text03("e", "say five", { taskId: "another" }))).toBe(-32001);
  const { items } = await stage.live.view();
  expect(items.filter(({ event }) => event.kind === "USER_PROMPT")).toHaveLength(3);
});

test("a live endpoint runs commands and lists only the tasks of its session [RFC-23]", async () => {
  await using stage = await openLiveStage({ mode: "yolo" });
  const { taskId, contextId } = stage.live;
  const commands = await resultOf(await post(stage.url, "commands/get", { context_id: contextId }));
  const executed = await resultOf(
    await post(stage.url, "command/execute", {
      command_path: ["shell"],
      args: "echo hello",
      context_id: contextId,
    }),
  );
  const id = executed.execution_id;
  const followed = await readStream(await post(stage.url, "tasks/resubscribe", { id }, active));
  const listed = await resultOf(await post(stage.url, "ListTasks", {}));
  const elsewhere = await resultOf(await post(stage.url, "ListTasks", { contextId: "another" }));

  expect(commands.commands.map(({ name }: { name: string }) => name)).toContain("shell");
  expect(followed.at(-1)?.json.result).toMatchObject({
    taskId: id,
    status: { state: "completed" },
  });
  const ids = listed.tasks.map((task: { id: string }) => task.id);
  expect(new Set(ids)).toEqual(new Set([taskId, id]));
  expect(elsewhere.tasks).toEqual([]);
});

test("clients of a live session cannot get or list tasks of earlier sessions", async () => {
  const kept = openMemoryStore();
  const openStore = () => ({ ...kept, close: async () => {} });
  const first = await openLiveStage({ openStore });
  await first.type("say secret");
  await first.until((event) => event.kind === "TEXT_CONTENT");
  const { taskId } = first.live;
  await first[Symbol.asyncDispose]();
  await using second = await openLiveStage({ openStore });

  const got = await (await post(second.url, "tasks/get", { id: taskId })).json();
  const listed = await resultOf(await post(second.url, "ListTasks", {}));

  expect(got).toMatchObject({ error: { code: -32001 } });
  expect(JSON.stringify(listed)).not.toContain(taskId);
});

test("a message id of an earlier session can be used again in a new session [LOG-05]", async () => {
  const kept = openMemoryStore();
  const openStore = () => ({ ...kept, close: async () => {} });
  const first = await openLiveStage({ openStore });
  await post(first.url, "message/send", text03("m", "say one"));
  await first[Symbol.asyncDispose]();
  await using second = await openLiveStage({ openStore });

  const sent = await resultOf(await post(second.url, "message/send", text03("m", "say two")));

  expect(sent.id).toBe(second.live.taskId);
  expect(JSON.stringify(sent)).toContain("two");
});

for (const version of ["0.3", "1.0"] as const) {
  test(`@dt/client watches and prompts a live session over A2A ${version}`, async () => {
    await using stage = await openLiveStage();
    const client = await connect(stage.url, { clientName: "ide", version });
    const joined = await client.openTask(stage.live.taskId);
    const watched = watchTask(joined);
    await stage.type("say typed");
    await watched.until((event) => event.kind === "TEXT_CONTENT" && event.text === "typed");

    await (await client.openTask(stage.live.taskId)).prompt("say sent");
    await watched.until((event) => event.kind === "TEXT_CONTENT" && event.text === "sent");
    await stage.live.close();
    await watched.done;

    const origins = watched.seen.flatMap((event) =>
      event.kind === "USER_PROMPT" ? [event.origin.name] : [],
    );
    expect(origins).toContain("terminal");
    expect(joined.view().state).toBe("completed");
    client.close();
  });
}

test("the official clients 0.3 and 1.0 prompt a live session and get artifacts", async () => {
  await using stage = await openLiveStage();
  const { taskId } = stage.live;
  const current = await new ClientFactory().createFromUrl(stage.url);
  const old = await A2AClient.fromCardUrl(`${stage.url}.well-known/agent-card.json`);

  const events: unknown[] = [];
  for await (const event of current.sendMessageStream({
    message: {
      messageId: "new",
      role: 1,
      parts: [{ content: { $case: "text", value: "say from 1.0" } }],
      taskId: "",
      contextId: "",
    },
  } as never)) {
    events.push(event);
  }
  const answered = await old.sendMessage(text03("old", "say from 0.3") as never);

  expect(JSON.stringify(events)).toContain("from 1.0");
  expect(JSON.stringify(events)).toContain("artifactUpdate");
  expect(answered).toMatchObject({
    result: {
      id: taskId,
      status: { state: "input-required" },
      artifacts: [{ name: "answer", parts: [{ text: "from 0.3" }] }],
    },
  });
});

test("a socket's client name comes from the X-Dt-Client header or query parameter [CLI-15]", async () => {
  await using stage = await openLiveStage();
  using phone = await openWsClient(stage.wsUrl, {
    protocol: "",
    headers: { "X-Dt-Client": "phone" },
  });
  using browser = await openWsClient(`${stage.wsUrl}?X-Dt-Client=browser`, { protocol: "" });
  using nameless = await openWsClient(stage.wsUrl, { protocol: "" });
  const say = (text: string) => ({
    jsonrpc: "2.0",
    method: "message/stream",
    params: { message: { content: { text: `say ${text}` } } },
  });

  for (const [client, text] of [
    [phone, "one"],
    [browser, "two"],
    [nameless, "three"],
  ] as const) {
    client.send(say(text));
    await phone.until((frame) => frame.content?.text === text);
  }

  const { items } = await stage.live.view();
  const origins = items.flatMap(({ event }) =>
    event.kind === "USER_PROMPT" ? [event.origin] : [],
  );
  expect(origins).toEqual(
    ["phone", "browser", "local"].map((name) => ({ principal: "local", name })),
  );
});

test("log lines have the configured prefix, and a connected client is logged by name [CLI-18]", async () => {
  const lines: { readonly msg: string; readonly name?: string }[] = [];
  const logger = createLogger({
    level: "debug",
    prefix: "[A2AService] ",
    write: (line) => lines.push(JSON.parse(line)),
  });
  await using stage = await openLiveStage({ server: { logger } });
  using socket = await openWsClient(stage.wsUrl, {
    protocol: "",
    headers: { "X-Dt-Client": "phone" },
  });
  await stage.type("say hi");
  await socket.until((frame) => frame.content?.text === "hi");
  await post(stage.url, "message/send", text03("a", "say hello"));

  const texts = lines.map(({ msg }) => msg);
  expect(texts.every((text) => text.startsWith("[A2AService] "))).toBe(true);
  expect(lines.find(({ msg }) => msg.includes("A2A client connected"))?.name).toBe("phone");
  expect(texts).toContain("[A2AService] request");
});
