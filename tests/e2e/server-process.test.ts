import { spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { mkdir, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { createServer as createSocketServer } from "node:net";
import path from "node:path";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { connect } from "@dt/client";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { openDataDir } from "./support/data-dir.js";
import { parseEvents, post, readStream } from "./support/raw-rpc.js";
import { findFreePort, startServerProcess } from "./support/server-process.js";
import { watchTask } from "./support/watch-task.js";

async function openSetup() {
  const workspace = await openTempWorkspace();
  const data = await openDataDir();
  const environment = {
    DT_DATA_DIR: data.directory,
    DT_WORKSPACE_ROOTS: workspace.root,
    CODER_AGENT_PORT: String(await findFreePort()),
  };
  return {
    workspace,
    environment,
    async [Symbol.asyncDispose]() {
      await workspace[Symbol.asyncDispose]();
      await data[Symbol.asyncDispose]();
    },
  };
}

test("dt-server starts without a key or a database, and its printed curl command works [PKG-05]", async () => {
  await using setup = await openSetup();
  const main = path.resolve(import.meta.dirname, "../../apps/server/dist/main.js");
  const { DT_DATA_DIR, CODER_AGENT_PORT } = setup.environment;
  const child = spawn(process.execPath, [main], {
    cwd: setup.workspace.root,
    env: { PATH: process.env.PATH ?? "", HOME: DT_DATA_DIR, DT_DATA_DIR, CODER_AGENT_PORT },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  for await (const chunk of child.stdout) {
    printed += chunk;
    if (/curl .*\n/.test(printed)) break;
  }

  // The test sends the request of the curl command itself, because curl may not be installed.
  const [, url = "", body = ""] = /^ {2}curl -N (\S+) -H .* -d '(.*)'$/m.exec(printed) ?? [];
  const headers = { "Content-Type": "application/json" };
  const events = await readStream(await fetch(url, { method: "POST", headers, body }));
  child.kill("SIGTERM");
  const [code] = await once(child, "exit");

  expect(printed).toContain(
    `dt-server listens on http://127.0.0.1:${CODER_AGENT_PORT}/\nmodel: offline`,
  );
  expect(events.at(-1)?.json.result.status.state).toBe("completed");
  expect(code).toBe(0);
});

test("dt-server exits with 2 and one error line if its port is in use", async () => {
  await using setup = await openSetup();
  const squatter = createSocketServer().listen(0, "127.0.0.1");
  await once(squatter, "listening");
  const { port } = squatter.address() as { port: number };

  const started = startServerProcess({ ...setup.environment, CODER_AGENT_PORT: String(port) });

  await expect(started).rejects.toThrow(
    `dt-server ended with 2: port ${port} on 127.0.0.1 is already in use; set CODER_AGENT_PORT to another one, or to 0 for any\n`,
  );
  squatter.close();
});

test("dt-server exits with 2 and one error line if a workspace directory is wrong [SEC-04]", async () => {
  await using setup = await openSetup();
  const { root } = setup.workspace;
  const outside = path.dirname(root);
  const start = (variables: Record<string, string>) =>
    startServerProcess({ ...setup.environment, ...variables }, root);

  await expect(start({ CODER_AGENT_WORKSPACE_PATH: outside })).rejects.toThrow(
    `dt-server ended with 2: CODER_AGENT_WORKSPACE_PATH: ${outside} is outside ${root}; add it to DT_WORKSPACE_ROOTS\n`,
  );
  await expect(start({ CODER_AGENT_WORKSPACE_PATH: path.join(root, "no") })).rejects.toThrow(
    `dt-server ended with 2: CODER_AGENT_WORKSPACE_PATH: there is no directory ${root}/no\n`,
  );
  const roots = [root, path.join(root, "gone")].join(path.delimiter);
  await expect(start({ DT_WORKSPACE_ROOTS: roots })).rejects.toThrow(
    `dt-server ended with 2: DT_WORKSPACE_ROOTS: there is no directory ${root}/gone\n`,
  );
});

/** Reads a stream until the connection breaks. Throws if the stream ends normally. */
async function readUntilBreak(response: Response): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  try {
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk as Uint8Array);
  } catch {
    return text;
  }
  throw new Error("the stream ended normally; expected a broken connection");
}

test("when a server stops, its streams end with a hint, and clients resume after a restart [LOG-01, LOG-02, SRV-20]", async () => {
  await using setup = await openSetup();
  const { environment, workspace } = setup;
  await using first = await startServerProcess(environment);
  const client = await connect(first.url, { reconnect: { baseMs: 20, maxMs: 100 } });
  const task = await client.startTask({
    workspacePath: workspace.root,
    prompt: "say before then write a.txt: hi then say after",
  });
  const watched = watchTask(task);
  const toolCallId = await watched.question();
  const raw = await post(first.url, "tasks/resubscribe", { id: task.taskId });

  const exit = first.stop();
  const farewell = await readUntilBreak(raw);
  const { code, stderr } = await exit;
  await using _second = await startServerProcess(environment);
  await task.answer({ toolCallId }, "proceed_once");
  await watched.done;

  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(farewell).toMatch(/\nretry: 1000\n: the server is stopping[^\n]*\n\n$/);
  expect(await workspace.read("a.txt")).toBe("hi");
  expect(new Set(watched.seen.map(({ cursor }) => cursor)).size).toBe(watched.seen.length);
  expect(watched.seen.at(-1)).toMatchObject({ kind: "STATE_CHANGE", state: "completed" });
  client.close();
});

/** Opens a stand-in for a model service that replies only after the test releases it. */
async function openSlowModel() {
  const gate = new EventEmitter();
  const asked = once(gate, "asked");
  const released = once(gate, "released");
  const server = createServer(async (_request, response) => {
    gate.emit("asked");
    await released;
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    const chunk = {
      choices: [{ index: 0, delta: { content: "finished" }, finish_reason: "stop" }],
    };
    response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  return {
    environment: {
      DT_MODEL: "openai:slow",
      OPENAI_API_KEY: "hunter2-key-of-the-model",
      OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
    },
    asked,
    release: () => gate.emit("released"),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const say = (root: string) => ({
  message: {
    kind: "message",
    role: "user",
    messageId: "m1",
    parts: [{ kind: "text", text: "hello" }],
    metadata: {
      "https://github.com/google-gemini/gemini-cli/blob/main/docs/a2a/developer-profile/v0/spec.md":
        { workspace_path: root },
    },
  },
});

test("if dt-server stops during a turn, it refuses new prompts, finishes the turn and exits with 0", async () => {
  await using setup = await openSetup();
  await using model = await openSlowModel();
  const { environment, workspace } = setup;
  const server = await startServerProcess({
    ...environment,
    ...model.environment,
    DT_LOG_LEVEL: "info",
  });
  const send = await openSender(server.url, "WebSocket");
  const stream = await post(server.url, "message/stream", say(workspace.root));
  await model.asked;

  const exit = server.stop();
  await server.log('"msg":"stopping"');
  const { message } = say(workspace.root);
  const late = await send("message/send", { message: { ...message, messageId: "m2" } });
  const newcomer = await post(server.url, "message/send", {
    message: { ...message, messageId: "m3" },
  });
  const health = await fetch(`${server.url}health`);
  model.release();
  const events = await readStream(stream);
  const { code } = await exit;

  expect(code).toBe(0);
  expect(late).toMatchObject({ error: { code: -32051 } });
  expect(await newcomer.json()).toMatchObject({ error: { code: -32051 } });
  expect(health.status).toBe(503);
  expect(await health.json()).toMatchObject({ status: "stopping" });
  expect(events.at(-1)?.json.result).toMatchObject({ final: true, status: { state: "completed" } });
});

test("if dt-server stops during a turn, it prints that it waits, and a second signal ends it", async () => {
  await using setup = await openSetup();
  await using model = await openSlowModel();
  await using server = await startServerProcess({ ...setup.environment, ...model.environment });
  await post(server.url, "message/stream", say(setup.workspace.root));
  await model.asked;
  const exited = once(server.child, "exit");

  server.child.kill("SIGINT");
  const line = await server.log("stopping");
  server.child.kill("SIGINT");
  const [code] = await exited;

  expect(line).toBe("stopping: waiting for 1 turn, at most 10 s; press Ctrl-C again to stop now");
  expect(code).toBe(1);
});

test("a turn that does not end within the grace period of a stop is interrupted", async () => {
  await using setup = await openSetup();
  await using model = await openSlowModel();
  const environment = {
    ...setup.environment,
    ...model.environment,
    DT_SHUTDOWN_GRACE_MS: "50",
  };
  await using first = await startServerProcess(environment);
  const stream = await post(first.url, "message/stream", say(setup.workspace.root));
  await model.asked;

  const reading = readUntilBreak(stream);
  const { code } = await first.stop();
  const events = parseEvents(await reading);
  await using second = await startServerProcess({ ...environment, DT_MODEL: "offline" });
  const { id, contextId } = events[0]?.json.result ?? {};
  const response = await post(second.url, "tasks/get", { id });
  const after = (await response.json()) as { result: { status: { state: string } } };
  const { message } = say(setup.workspace.root);
  const parts = [{ kind: "text", text: "say we go on" }];
  const further = { message: { ...message, messageId: "m2", contextId, parts } };
  const next = await readStream(await post(second.url, "message/stream", further));

  expect(code).toBe(0);
  expect(events.at(-1)?.json.result).toMatchObject({ status: { state: "working" } });
  expect(after.result.status.state).toBe("failed");
  expect(next[0]?.json.result).toMatchObject({ kind: "task", contextId });
  expect(JSON.stringify(next)).toContain("we go on");
  expect(next.at(-1)?.json.result).toMatchObject({ final: true, status: { state: "completed" } });
});

for (const over of ["HTTP", "WebSocket"] as const) {
  test(`a request over ${over} that outlasts the grace period gets its failed task when re-sent [LOG-05]`, async () => {
    await using setup = await openSetup();
    await using model = await openSlowModel();
    const environment = {
      ...setup.environment,
      ...model.environment,
      DT_SHUTDOWN_GRACE_MS: "50",
    };
    await using first = await startServerProcess(environment);
    const send = await openSender(first.url, over);
    const answer = send("message/send", say(setup.workspace.root));
    await model.asked;

    const { code } = await first.stop();
    const stopped = await answer;
    await using second = await startServerProcess({ ...environment, DT_MODEL: "offline" });
    const again = await post(second.url, "message/send", say(setup.workspace.root));
    const { result } = (await again.json()) as { result: { id: string; status: object } };

    expect(code).toBe(0);
    expect(stopped).toMatchObject({
      error: { code: -32051, data: { retryAfterMs: 1_000, taskId: result.id } },
    });
    expect(result.status).toMatchObject({ state: "failed" });
  });
}

/** Returns a function that sends a request over the given transport and returns the response. */
async function openSender(url: string, over: "HTTP" | "WebSocket") {
  if (over === "HTTP") {
    return async (method: string, params: object): Promise<unknown> =>
      await (await post(url, method, params)).json();
  }
  const socket = new WebSocket(`${url.replace("http", "ws")}ws`, "a2a.v1");
  await once(socket, "open");
  return async (method: string, params: object): Promise<unknown> => {
    socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
    const [data] = await once(socket, "message");
    return JSON.parse(String(data));
  };
}

test("after kill -9 and a restart, the interrupted turn has failed and the queued prompt runs [LOG-01, SRV-14]", async () => {
  await using setup = await openSetup();
  await using model = await openSlowModel();
  const first = await startServerProcess({ ...setup.environment, ...model.environment });
  const running = await post(first.url, "message/stream", say(setup.workspace.root));
  await model.asked;
  const reader = running.body?.getReader();
  let text = "";
  while (!text.includes('"contextId"'))
    text += new TextDecoder().decode((await reader?.read())?.value);
  const { id, contextId } = parseEvents(text)[0]?.json.result ?? {};
  const next = say(setup.workspace.root).message;
  const message = {
    ...next,
    messageId: "m2",
    contextId,
    parts: [{ kind: "text", text: "say hi" }],
  };
  const queued = await post(first.url, "message/send", {
    message,
    configuration: { blocking: false },
  });
  const { result } = (await queued.json()) as { result: { id: string } };

  await first.kill();
  await using second = await startServerProcess({ ...setup.environment, DT_MODEL: "offline" });
  const events = await readStream(await post(second.url, "tasks/resubscribe", { id: result.id }));
  const response = await post(second.url, "tasks/get", { id });
  const interrupted = (await response.json()) as { result: { status: { state: string } } };

  const last = events.at(-1)?.json.result;
  expect(last.status.state).toBe("completed");
  expect(interrupted.result.status.state).toBe("failed");
});

test("/health counts tasks, and the log has request ids but no secrets [SRV-13, SRV-16, SEC-05]", async () => {
  await using setup = await openSetup();
  const key = "hunter2-0123456789";
  await using server = await startServerProcess({
    ...setup.environment,
    DT_LOG_LEVEL: "debug",
    SOME_API_KEY: key,
  });
  const headers = { "X-Request-Id": "request-1", Authorization: `Bearer ${key}` };
  const prompt = { ...say(setup.workspace.root) };
  prompt.message.parts = [{ kind: "text", text: `say ${key}` }];
  await readStream(await post(`${server.url}?key=${key}`, "message/stream", prompt, headers));

  const health = await fetch(`${server.url}health`);
  const lines = await server.log("request-1");

  expect(await health.json()).toEqual({
    status: "healthy",
    uptime: expect.any(Number),
    activeTasks: 0,
    totalTasks: 1,
  });
  expect(JSON.parse(lines)).toMatchObject({
    requestId: "request-1",
    user: "local",
    taskId: expect.any(String),
    method: "POST",
    path: "/",
    status: 200,
  });
  expect(server.stderr()).not.toContain(key);
});

test("/health is refused to a page from a foreign origin [SEC-01]", async () => {
  await using setup = await openSetup();
  await using server = await startServerProcess(setup.environment);

  const response = await fetch(`${server.url}health`, { headers: { Origin: "https://evil.test" } });

  expect(response.status).toBe(403);
});

test("a task whose workspace was deleted can be read and cancelled after a restart [LOG-01]", async () => {
  await using setup = await openSetup();
  const { environment, workspace } = setup;
  const inner = path.join(workspace.root, "inner");
  await mkdir(inner);
  await using first = await startServerProcess(environment);
  const client = await connect(first.url, { reconnect: { baseMs: 20, maxMs: 100 } });
  const start = (prompt: string, settings = {}) =>
    client.startTask({ workspacePath: inner, prompt, settings });
  const working = await start("run sleep 300", { autoExecute: true });
  const watched = watchTask(working);
  await watched.until(
    (event) => event.kind === "TOOL_CALL_UPDATE" && event.toolCall.status === "EXECUTING",
  );
  const waiting = await start("write a.txt: x");
  const watchedWaiting = watchTask(waiting);
  await watchedWaiting.question();

  await first.kill();
  await rm(inner, { recursive: true });
  await using _second = await startServerProcess(environment);
  await watched.done;
  await waiting.cancel();
  await watchedWaiting.done;

  expect(working.view()).toMatchObject({ state: "failed", openCalls: [] });
  expect(working.view().error).toContain("the session cannot continue");
  expect(waiting.view()).toMatchObject({ state: "canceled", openCalls: [] });
  client.close();
});
