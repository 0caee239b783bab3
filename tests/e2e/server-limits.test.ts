import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { connect } from "node:net";
import path from "node:path";
import {
  type Command,
  createModelEngine,
  createOfflineModel,
  createSession,
  fileTools,
  openWorkspace,
} from "@dt/agent-core";
import { DEVELOPMENT_TOOL_URI, type OpenAgent } from "@dt/schema";
import { openSqliteStore } from "@dt/server";
import { commitTo } from "@dt/server/testing";
import { expect, test } from "vitest";
import { openDataDir } from "./support/data-dir.js";
import { createHeldModel } from "./support/held-model.js";
import { openStage } from "./support/open-stage.js";
import { post, readStream } from "./support/raw-rpc.js";
import { openWsClient, refusedWith } from "./ws-client.js";

const prompt = (messageId: string, root: string, text = "hello") => ({
  message: {
    kind: "message",
    role: "user",
    messageId,
    parts: [{ kind: "text", text }],
    metadata: { [DEVELOPMENT_TOOL_URI]: { workspace_path: root } },
  },
});

test("a prompt above the turn limit waits, and is refused if the queue is full [SRV-10]", async () => {
  const model = createHeldModel();
  await using stage = await openStage({
    model,
    server: { limits: { maxTurns: 1, maxWaitingPrompts: 1 } },
  });
  const { url, workspace } = stage;
  const send = (messageId: string) =>
    post(url, "message/stream", prompt(messageId, workspace.root));
  const first = await send("first");
  await model.called(1);

  // One prompt waits. The other one is refused because the queue is full.
  const others = await Promise.all([send("second"), send("third")]);
  const streams = others.map((response) => readStream(response));
  const refused = await Promise.race(streams);
  model.release();
  const ends = (await Promise.all([readStream(first), ...streams])).map((events) => events.at(-1));

  expect(refused[0]?.json.error).toMatchObject({ code: -32051, data: { retryAfterMs: 1_000 } });
  const states = ends.map((end) => end?.json.result?.status.state ?? "refused");
  expect(states.sort()).toEqual(["completed", "completed", "refused"]);
  expect(stage.faults).toEqual([]);
});

test("a prompt that waits too long because of the turn limit is refused with a JSON error", async () => {
  const model = createHeldModel();
  await using stage = await openStage({
    model,
    server: { limits: { maxTurns: 1, maxWaitMs: 400 } },
  });
  const { url, workspace } = stage;
  const first = await post(url, "message/stream", prompt("first", workspace.root));
  await model.called(1);

  const { message } = prompt("second", workspace.root);
  const refused = await post(url, "SendStreamingMessage", {
    message: { ...message, role: "ROLE_USER", parts: [{ text: "hello" }], kind: undefined },
  });
  const body = await refused.json();
  model.release();

  expect(body).toMatchObject({ error: { code: -32051 } });
  expect((await readStream(first)).at(-1)?.json.result.status.state).toBe("completed");
  expect(stage.faults).toEqual([]);
});

test("a refused prompt creates no session, and its context id can be used again [SRV-10]", async () => {
  const model = createHeldModel();
  const opened: string[] = [];
  const closed: string[] = [];
  const openAgent: OpenAgent = async ({ contextId, settings, ledger, journal }) => {
    opened.push(contextId);
    const workspace = await openWorkspace(settings.workspacePath);
    const session = await createSession({
      engine: createModelEngine({ model, tools: [], workspace }),
      ledger,
      journal,
    });
    const close = async () => {
      await session.close();
      closed.push(contextId);
    };
    return { ...session, close };
  };
  const limits = { maxTurns: 1, maxWaitingPrompts: 1, maxWaitMs: 100 };
  await using stage = await openStage({ server: { openAgent, limits } });
  const { url, workspace } = stage;
  const folder = path.join(workspace.root, "folder");
  await mkdir(folder);
  const send = async (contextId: string, root = workspace.root) => {
    const { message } = prompt(randomUUID(), root);
    return await readStream(
      await post(url, "message/stream", { message: { ...message, contextId } }),
    );
  };
  const first = send("first");
  await model.called(1);

  const waited = await send("waits");
  const others = await Promise.all([send("third"), send("fourth"), send("fifth")]);
  model.release();
  await first;
  const elsewhere = await send("waits", folder);

  expect(waited.at(-1)?.json.error.message).toContain("the prompt was not admitted within 100 ms");
  expect(others.map((events) => events.at(-1)?.json.error.code)).toEqual([-32051, -32051, -32051]);
  expect(closed.toSorted()).toEqual(opened.slice(1, -1).toSorted());
  expect(elsewhere.at(-1)?.json.result.status.state).toBe("completed");
  expect(stage.faults).toEqual([]);
});

test("a command above the turn limit gets FAILED_TO_START and can be sent again [RFC-23, SRV-10]", async () => {
  const model = createHeldModel();
  const ran: string[] = [];
  const greet: Command = {
    name: "greet",
    description: "greets someone",
    async run({ args }) {
      ran.push(args);
      return { type: "done", say: `hello ${args}` };
    },
  };
  const openAgent: OpenAgent = async ({ settings, ledger, journal }) => {
    const workspace = await openWorkspace(settings.workspacePath);
    const commands = () => [greet];
    return await createSession({
      engine: createModelEngine({ model, tools: [], workspace, commands }),
      ledger,
      journal,
    });
  };
  await using stage = await openStage({ server: { openAgent, limits: { maxTurns: 1 } } });
  const { url, workspace } = stage;
  const first = await post(url, "message/stream", prompt("first", workspace.root));
  await model.called(1);
  const run = async () => {
    const params = { command_path: ["greet"], args: "you" };
    const response = await post(url, "command/execute", params);
    return ((await response.json()) as { result: unknown }).result;
  };

  const early = await run();
  const ranEarly = [...ran];
  model.release();
  await readStream(first);
  const late = await run();
  await expect.poll(() => ran).toEqual(["you"]);

  expect(ranEarly).toEqual([]);
  expect(early).toEqual({
    execution_id: "",
    status: "FAILED_TO_START",
    message:
      "the limit of simultaneous turns (1 for this server) is reached, and a command does not wait; send the message again later",
  });
  expect(late).toMatchObject({ status: "STARTED", execution_id: expect.stringMatching(/./) });
  expect(stage.faults).toEqual([]);
});

test("a connection above the limit is refused with 503 until another one closes [SRV-10]", async () => {
  await using stage = await openStage({ server: { limits: { maxConnections: 2 } } });
  const { port } = stage.server;
  const wsUrl = `${stage.url.replace("http", "ws")}ws`;
  const first = await openWsClient(wsUrl);
  const second = await openWsClient(wsUrl);

  const refused = await fetch(`${stage.url}health`);
  const upgrade = await refusedWith(wsUrl);
  const silent = connect(port, "127.0.0.1");
  await once(silent, "close");
  first.ws.terminate();
  await expect.poll(async () => (await fetch(`${stage.url}health`)).status).toBe(200);
  second.ws.terminate();

  expect(refused.status).toBe(503);
  expect(refused.headers.get("connection")).toBe("close");
  expect(await refused.json()).toMatchObject({
    error: { code: -32051, message: "2 connections are open already; close one" },
  });
  expect(upgrade).toBe(503);
});

test("a question of an evicted session can still be answered [SRV-20, SRV-21, LOG-03]", async () => {
  const closed: string[] = [];
  const openAgent: OpenAgent = async ({ contextId, settings, ledger, journal }) => {
    const workspace = await openWorkspace(settings.workspacePath);
    const model = createOfflineModel();
    const session = await createSession({
      engine: createModelEngine({ model, tools: fileTools, workspace }),
      ledger,
      journal,
    });
    const close = async () => {
      await session.close();
      closed.push(contextId);
    };
    return { ...session, close };
  };
  const limits = { sessionIdleMs: 1 };
  await using stage = await openStage({ server: { openAgent, sweepMs: 5, limits } });
  const client = await stage.connect();
  const task = await client.startTask({
    workspacePath: stage.workspace.root,
    prompt: "write a.txt: hi then say done",
  });
  let toolCallId = "";
  for await (const event of task.events()) {
    if (event.kind !== "STATE_CHANGE" || event.waiting === undefined) continue;
    toolCallId = event.waiting[0]?.toolCallId ?? "";
    break;
  }
  await expect.poll(() => closed).toContain(task.contextId);

  const answer = await task.answer({ toolCallId }, "proceed_once");
  await expect
    .poll(async () => (await client.openTask(task.taskId)).view().state)
    .toBe("completed");

  expect(answer).toEqual({ accepted: true });
  expect(await stage.workspace.read("a.txt")).toBe("hi");
  expect(stage.faults).toEqual([]);
});

test("/health is 503 and prompts are refused while the store is full [SRV-16]", async () => {
  await using data = await openDataDir();
  const file = path.join(data.directory, "small.db");
  const store = openSqliteStore({ file, maxBytes: 256 * 1024 });
  const ballast = { contextId: "ballast", events: [], isCritical: false };
  const settings = { workspacePath: "/", allowedTools: [], mcpServers: {} };
  const session = { contextId: "ballast", owner: "someone", settings, createdAt: "" };
  await commitTo(store, [{ ...ballast, session, journal: [] }]);
  const fits = (length: number) =>
    commitTo(store, [{ ...ballast, journal: [{ text: "x".repeat(length) }] }]).then(
      () => true,
      () => false,
    );
  for (const length of [9_000, 100]) while (await fits(length));
  await using stage = await openStage({ server: { store } });
  const { url, workspace } = stage;
  const health = async () => (await fetch(`${url}health`)).status;
  const long = prompt("message", workspace.root, "x".repeat(20_000));
  const send = async () => (await (await post(url, "message/send", long)).json()) as object;

  const whenFull = { health: await health(), sent: await send() };
  await store.deleteSession("ballast");
  const afterwards = { health: await health(), sent: await send() };

  expect(whenFull).toMatchObject({
    health: 503,
    sent: { error: { code: -32603, message: expect.stringContaining("the disk is full") } },
  });
  expect(afterwards).toMatchObject({ health: 200, sent: { result: { status: {} } } });
  expect(stage.faults).toHaveLength(1);
});
