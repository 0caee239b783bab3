import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { connect as connectSocket } from "node:net";
import path from "node:path";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { connect } from "@dt/client";
import { DEVELOPMENT_TOOL_URI } from "@dt/schema";
import { createPrometheusMetrics, openSqliteStore } from "@dt/server";
import { createScriptedAgent, openTestServer } from "@dt/server/testing";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { openDataDir } from "./support/data-dir.js";
import { openStage } from "./support/open-stage.js";
import { post, readStream } from "./support/raw-rpc.js";
import { findFreePort, startServerProcess } from "./support/server-process.js";
import { watchTask } from "./support/watch-task.js";

const say = (root: string, text: string, ids: object = {}) => ({
  message: {
    kind: "message",
    role: "user",
    messageId: randomUUID(),
    parts: [{ kind: "text", text }],
    metadata: { [DEVELOPMENT_TOOL_URI]: { workspace_path: root } },
    ...ids,
  },
});

// biome-ignore lint/suspicious/noExplicitAny: tests look into foreign JSON.
const rpc = async (url: string, method: string, params: object): Promise<any> =>
  await (await post(url, method, params)).json();

test("a server that stops does not write a comment into an incomplete event [LOG-02]", async () => {
  await using stage = await openStage();
  const { url, workspace } = stage;
  const text = "x".repeat(6_000_000);
  const { result } = await rpc(url, "message/send", say(workspace.root, `say ${text}`));
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "tasks/resubscribe",
    params: { id: result.id },
  });
  const socket = connectSocket(stage.server.port, "127.0.0.1");
  socket.write(
    `POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  const chunks: Buffer[] = [];
  const [first] = (await once(socket, "data")) as [Buffer];
  chunks.push(first);
  // The client stops reading in the middle of the event, so the socket buffer of the server is full.
  socket.pause();
  await new Promise((resolve) => setImmediate(resolve));

  const closing = stage.server.close();
  socket.on("data", (chunk) => chunks.push(chunk));
  socket.on("error", () => {});
  socket.resume();
  await Promise.all([once(socket, "close"), closing]);

  const received = Buffer.concat(chunks).toString();
  const [, event = ""] = received.split("data: ");
  expect(event.length).toBeGreaterThan(1_000);
  // The incomplete event has no blank line, so a client ignores it and requests it again.
  expect(event.includes("\n\n")).toBe(false);
  expect(received.includes("the server is stopping")).toBe(false);
});

test("a client that offers an upgrade to HTTP/2 is served over HTTP/1.1", async () => {
  await using stage = await openStage();
  const body = JSON.stringify({ jsonrpc: "2.0", id: 5, method: "tasks/get", params: { id: "x" } });
  const ask = async (head: string, sent = "") => {
    const socket = connectSocket(stage.server.port, "127.0.0.1");
    const offer =
      "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n";
    socket.write(`${head}Host: 127.0.0.1\r\n${offer}Connection: close\r\n\r\n${sent}`);
    let answer = "";
    for await (const chunk of socket) {
      answer += chunk;
      if (/\r\n\r\n.*\}$/s.test(answer)) break;
    }
    return answer;
  };

  const card = await ask("GET /.well-known/agent-card.json HTTP/1.1\r\n");
  const task = await ask(
    `POST / HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n`,
    body,
  );

  expect(card).toMatch(/^HTTP\/1.1 200 /);
  expect(task).toContain('"id":5');
  expect(task).toContain('"code":-32001');
});

test("two answers to one question in one message are both refused [RFC-19]", async () => {
  await using stage = await openStage();
  const { url, workspace } = stage;
  const asked = await rpc(url, "message/send", say(workspace.root, "write a.txt: hi"));
  const { id: taskId, contextId, status } = asked.result;
  const call = status.message.parts.find((part: { kind: string }) => part.kind === "data").data;
  const answer = (option: string) => ({
    kind: "data",
    data: { tool_call_id: call.tool_call_id, selected_option_id: option },
    metadata: { [DEVELOPMENT_TOOL_URI]: { kind: "TOOL_CALL_CONFIRMATION" } },
  });
  const parts = [answer("proceed_once"), answer("cancel")];

  const refused = await rpc(
    url,
    "message/send",
    say(workspace.root, "", { parts, taskId, contextId }),
  );
  const after = await rpc(url, "tasks/get", { id: taskId });

  expect(refused.error).toMatchObject({
    code: -32602,
    message: expect.stringMatching(/two answers/),
  });
  expect(after.result.status.state).toBe("input-required");
});

test("an invalid contextId or messageId is refused with an error that names the field [SEC-04]", async () => {
  await using stage = await openStage();
  const { url, workspace } = stage;
  const faults = {
    contextId: ["x".repeat(300), "\ud800"],
    messageId: ["", "x".repeat(300), "a\u0000b", "\udc00"],
  };
  for (const [field, values] of Object.entries(faults)) {
    for (const value of values) {
      const params = say(workspace.root, "say hi", { [field]: value });

      const { error } = await rpc(url, "message/send", params);

      expect(error).toMatchObject({ code: -32602, message: expect.stringContaining(field) });
    }
  }
  expect(stage.faults).toEqual([]);
});

/** Creates directories for a server. `write` sends a prompt that writes a file in a new session. */
async function openSessionSetup() {
  const workspace = await openTempWorkspace();
  const data = await openDataDir();
  const environment = {
    DT_DATA_DIR: data.directory,
    DT_WORKSPACE_ROOTS: workspace.root,
    CODER_AGENT_PORT: String(await findFreePort()),
  };
  return {
    environment,
    data: data.directory,
    async write(url: string, contextId: string) {
      const settings = { workspace_path: workspace.root, auto_execute: true };
      const metadata = { [DEVELOPMENT_TOOL_URI]: settings };
      const params = say(workspace.root, "write a.txt: hi", { contextId, metadata });
      return (await rpc(url, "message/send", params)).result;
    },
    async [Symbol.asyncDispose]() {
      await workspace[Symbol.asyncDispose]();
      await data[Symbol.asyncDispose]();
    },
  };
}

test("a context id such as .. cannot create files outside the sessions directory [SEC-04]", async () => {
  await using setup = await openSessionSetup();
  await using server = await startServerProcess(setup.environment);
  for (const id of ["..", ".", "a/b", "plain-id"]) await setup.write(server.url, id);

  const inside = await readdir(path.join(setup.data, "sessions"));
  const files = await readdir(setup.data);

  expect(files.filter((file) => !file.startsWith("dt-server.db"))).toEqual(["agents", "sessions"]);
  expect(inside).toHaveLength(4);
  expect(inside.every((name) => /^(plain-id|_[0-9a-f]{64})$/.test(name))).toBe(true);
});

test("command methods refuse a client that lacks a required extension", async () => {
  await using stage = await openStage({ server: { isExtensionRequired: true } });
  const run = { command_path: ["help"], args: "" };

  const answers = [
    await rpc(stage.url, "commands/get", {}),
    await rpc(stage.url, "command/execute", run),
  ];

  expect(answers.map(({ error }) => error.code)).toEqual([-32008, -32008]);
});

test("an unknown command creates no session", async () => {
  await using stage = await openStage({ server: { metrics: createPrometheusMetrics() } });
  const run = { command_path: ["nope"], args: "" };

  for (let round = 0; round < 5; round += 1) await rpc(stage.url, "command/execute", run);

  const page = await (await fetch(`${stage.url}metrics`)).text();
  expect(page).toContain("\ndt_sessions_in_memory 0\n");
});

test("over a WebSocket, the error for a request without a method has the request's id [CLI-05]", async () => {
  await using stage = await openStage();
  for (const protocols of [["a2a.v1"], []]) {
    const socket = new WebSocket(`${stage.url.replace("http", "ws")}ws`, protocols);
    await once(socket, "open");
    socket.send('{"jsonrpc":"2.0","id":7}');

    const [data] = await once(socket, "message");
    socket.close();

    expect(JSON.parse(String(data))).toMatchObject({ id: 7, error: { code: -32600 } });
  }
});

test("a guide socket that re-sends a message of another socket gets the same task [LOG-05]", async () => {
  await using stage = await openStage();
  const open = async () => {
    const socket = new WebSocket(`${stage.url.replace("http", "ws")}ws`);
    const frames: { kind?: string; result?: { taskId: string } }[] = [];
    socket.on("message", (data) => frames.push(JSON.parse(String(data))));
    await once(socket, "open");
    const params = { message: { messageId: "once", content: { text: "say hello" } } };
    socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "message/stream", params }));
    const countTexts = () => frames.filter(({ kind }) => kind === "TEXT_CONTENT").length;
    await expect
      .poll(() => [countTexts() > 0, frames.some(({ result }) => result)])
      .toEqual([true, true]);
    socket.close();
    return frames.find(({ result }) => result)?.result?.taskId;
  };

  const first = await open();
  const again = await open();

  expect(again).toBe(first);
});

test("dt-server keeps serving after its stdout and stderr are closed", async () => {
  await using data = await openDataDir();
  const main = path.resolve(import.meta.dirname, "../../apps/server/dist/main.js");
  const port = String(await findFreePort());
  const child = spawn(process.execPath, [main, "--debug"], {
    env: {
      PATH: process.env.PATH ?? "",
      HOME: data.directory,
      DT_DATA_DIR: data.directory,
      CODER_AGENT_PORT: port,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  await once(child.stdout, "data");
  child.stderr.destroy();
  child.stdout.destroy();

  const statuses: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    statuses.push((await fetch(`http://127.0.0.1:${port}/health`)).status);
  }
  child.kill("SIGTERM");
  const [code] = await once(child, "exit");

  expect(statuses).toEqual([200, 200, 200, 200, 200]);
  expect(code).toBe(0);
});

test("REST accepts an empty body, refuses HEAD for a stream and reads query values as text", async () => {
  await using stage = await openStage();
  const { url, workspace } = stage;
  const client = await connect(url);
  const task = await client.startTask({ workspacePath: workspace.root, prompt: "write a.txt: hi" });
  await watchTask(task).question();

  const head = await fetch(`${url}v1/tasks/${task.taskId}:subscribe`, { method: "HEAD" });
  const list = await fetch(`${url}v1/tasks?contextId=true`);
  const cancel = await fetch(`${url}v1/tasks/${task.taskId}:cancel`, { method: "POST" });

  expect(head.status).toBe(405);
  expect(await list.json()).toMatchObject({ tasks: [] });
  expect(await cancel.json()).toMatchObject({ status: { state: "TASK_STATE_CANCELED" } });
});

test("a cursor of a deleted session is refused by a new session with the same id [LOG-02]", async () => {
  await using data = await openDataDir();
  const store = () => openSqliteStore({ file: path.join(data.directory, "dt.db") });
  const run = async ({ url, workspace }: Awaited<ReturnType<typeof openStage>>, text: string) =>
    (
      await readStream(
        await post(url, "message/stream", say(workspace.root, text, { contextId: "mine" })),
      )
    ).at(-1);
  const before = await openStage({ server: { store: store() } });
  const old = await run(before, "say one");
  await before[Symbol.asyncDispose]();
  const deleting = store();
  await deleting.deleteSession("mine");
  await deleting.close();
  await using stage = await openStage({ server: { store: store() } });
  await run(stage, "say two");

  const now = await run(stage, "say three");
  const ask = async (cursor = "") => {
    const headers = { "Last-Event-ID": cursor };
    const { taskId: id } = now?.json.result ?? {};
    return await (await post(stage.url, "tasks/resubscribe", { id }, headers)).text();
  };

  expect(await ask(old?.id)).toContain("does not belong to this session");
  expect(await ask(now?.id)).not.toContain("does not belong to this session");
});

test("the server adds isFromLoopback only to settings that a client sent [SEC-04]", async () => {
  const opened: unknown[] = [];
  const openFake = createScriptedAgent();
  await using server = await openTestServer({
    openAgent: async (options) => {
      const { settings } = options;
      opened.push("isFromLoopback" in settings ? settings.isFromLoopback : "not named");
      return await openFake(options);
    },
  });
  const send = (metadata?: object) => {
    const message = {
      kind: "message",
      role: "user",
      messageId: randomUUID(),
      parts: [{ kind: "text", text: "hi" }],
      ...(metadata !== undefined && { metadata }),
    };
    return post(server.url, "message/send", { message });
  };

  await send();
  await send({ [DEVELOPMENT_TOOL_URI]: { workspace_path: server.workspacePath } });

  expect(opened).toEqual(["not named", true]);
});
