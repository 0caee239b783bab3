import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import {
  geminiChunk,
  geminiStream,
  geminiText,
  openGeminiStandIn,
  openTempWorkspace,
} from "@dt/agent-core/testing";
import { expect, test } from "vitest";
import { openDataDir } from "./support/data-dir.js";
import { runCurl } from "./support/run-curl.js";
import { findFreePort, startServerProcess } from "./support/server-process.js";

// These tests send the requests of the server reference, section "HTTP API". Only the workspace differs.

// biome-ignore lint/suspicious/noExplicitAny: tests look into foreign JSON.
type Json = any;

const content = "def sort(items):\n    return sorted(items)\n";
const writeCall = {
  functionCall: { id: "call-1", name: "write_file", args: { file_path: "sort.py", content } },
};
/** Replies of the model: text with a call that writes the example file of the reference, then text. */
const answers = [
  geminiStream([
    geminiChunk([{ text: "I'll write a sort function..." }]),
    geminiChunk([writeCall], { finishReason: "STOP" }),
  ]),
  geminiText("The function is in sort.py."),
];

/** Starts dt-server with a stand-in model and the key `server-key`. `config` is Gemini CLI's config.yaml. */
async function openStage(
  script: Parameters<typeof openGeminiStandIn>[0] = answers,
  config: string | undefined = undefined,
) {
  const model = await openGeminiStandIn(script);
  const workspace = await openTempWorkspace();
  const data = await openDataDir();
  if (config !== undefined) await writeConfig(data.directory, config);
  const environment = {
    DT_DATA_DIR: data.directory,
    DT_WORKSPACE_ROOTS: workspace.root,
    CODER_AGENT_PORT: "0",
    GEMINI_API_KEY: "server-key",
    GOOGLE_GEMINI_BASE_URL: model.url,
    DT_LOG_LEVEL: "info",
  };
  const servers = [await startServerProcess(environment)];
  const getServer = () => servers.at(-1) as (typeof servers)[number];
  const post = (route: string, body: string) =>
    runCurl("-X", "POST", `${getServer().url}tasks${route}`, "-H", JSON_TYPE, "-d", body);
  return {
    model,
    workspace,
    data,
    post,
    get server() {
      return getServer();
    },
    async get(route: string): Promise<Json> {
      return JSON.parse(await runCurl(`${getServer().url}tasks${route}`));
    },
    create: async (body: string): Promise<Json> => JSON.parse(await post("", body)),
    async restart() {
      await getServer().stop();
      servers.push(await startServerProcess(environment));
    },
    async [Symbol.asyncDispose]() {
      await getServer()[Symbol.asyncDispose]();
      for (const part of [model, workspace, data]) await part[Symbol.asyncDispose]();
    },
  };
}

async function writeConfig(home: string, text: string): Promise<void> {
  const folder = path.join(home, ".config", "gemini-cli");
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, "config.yaml"), text);
}

const JSON_TYPE = "Content-Type: application/json";

/** Returns the `event` and `data` lines of a stream. */
const shownIn = (stream: string) =>
  stream.split("\n").filter((line) => line.startsWith("event: ") || line.startsWith("data: "));

const payloadsOf = (stream: string): Json[] =>
  shownIn(stream).flatMap((line) => (line.startsWith("data: ") ? [JSON.parse(line.slice(6))] : []));

const creation = (workspaceRoot: string, more = "") => `{
  "contextId": "context-123",
  "agentSettings": {
    "workspaceRoot": "${workspaceRoot}",
    "model": "gemini-2.0-flash-exp"${more}
  }
}`;
const execution = `{
  "message": "Write a Python function to sort a list"
}`;

/** Waits until a task has a question, and returns the tool call that asks it. */
async function findQuestion(get: (route: string) => Promise<Json>, taskId: string) {
  let found: Json;
  await expect
    .poll(
      async () => {
        const { history } = await get(`/${taskId}`);
        const parts: Json[] = history.flatMap((message: Json) => message.parts);
        found = parts.find(({ data }) => data?.confirmation !== undefined)?.data;
        return found;
      },
      { timeout: 300_000 },
    )
    .toBeDefined();
  return found;
}

test("curl can send the requests of the server reference [SRV-01, SRV-02, SRV-03, SRV-20]", async () => {
  await using stage = await openStage();
  const { root } = stage.workspace;

  const created = await stage.create(creation(root));
  const { taskId } = created;
  const streaming = stage.post(`/${taskId}/execute`, execution);
  const { toolCallId } = await findQuestion(stage.get, taskId);
  const answered = await stage.post(
    `/${taskId}/execute`,
    `{"confirmation": {"toolCallId": "${toolCallId}", "approved": true}}`,
  );
  const stream = await streaming;
  const task = await stage.get(`/${taskId}`);
  const list = await stage.get("");

  expect(created).toEqual({ id: taskId, taskId, contextId: "context-123", state: "running" });
  expect(shownIn(stream).filter((line) => line.startsWith("event: "))).toEqual([
    "event: text_content",
    "event: tool_call_update",
    "event: tool_call_update",
    "event: tool_call_update",
    "event: text_content",
    "event: state_change",
  ]);
  const call = { type: "tool_call_update", toolCallId, toolName: "write_file" };
  const done = [
    { ...call, status: "executing" },
    { ...call, status: "completed", result: expect.stringContaining("def sort(items):") },
    { type: "text_content", text: "The function is in sort.py." },
    { type: "state_change", state: "completed", timestamp: expect.any(String) },
  ];
  expect(payloadsOf(stream)).toEqual([
    { type: "text_content", text: "I'll write a sort function..." },
    {
      ...call,
      status: "requested",
      confirmation: expect.objectContaining({ title: "Write sort.py?" }),
    },
    ...done,
  ]);
  expect(payloadsOf(answered)).toEqual(done);
  expect(await readFile(path.join(root, "sort.py"), "utf8")).toBe(content);
  expect(task).toMatchObject({
    id: taskId,
    contextId: "context-123",
    state: "completed",
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    metadata: { model: "gemini-2.0-flash-exp" },
    artifacts: [{ name: "sort.py", parts: [{ kind: "text", text: content }] }],
  });
  expect(task.history.map(({ role }: Json) => role)).toEqual(["user", "agent", "agent", "agent"]);
  expect(list).toEqual({
    tasks: [{ id: taskId, contextId: "context-123", state: "completed" }],
  });
});

test("a task with a client's model key does not use the server's key after a restart [SRV-01, SEC-05]", async () => {
  await using stage = await openStage([geminiText("hello"), geminiText("again")]);
  const keyed = creation(stage.workspace.root, ',\n    "apiKey": "client-key-1"');

  const { taskId } = await stage.create(keyed);
  await stage.post(`/${taskId}/execute`, `{"message": "hi"}`);
  const log = stage.server.stderr();
  await stage.restart();
  const refused = JSON.parse(await stage.post(`/${taskId}/execute`, `{"message": "hi again"}`));
  const requestsBefore = stage.model.requests.length;
  await stage.create(keyed);
  const stream = await stage.post(`/${taskId}/execute`, `{"message": "hi again"}`);

  expect(refused).toEqual({
    code: "unsupported-operation",
    error: expect.stringContaining(
      "was kept in memory only and is gone since the server restarted",
    ),
  });
  expect(requestsBefore).toBe(1);
  expect(payloadsOf(stream)).toContainEqual({ type: "text_content", text: "again" });
  expect(stage.model.requests.map(({ headers }) => headers["x-goog-api-key"])).toEqual([
    "client-key-1",
    "client-key-1",
  ]);
  expect(stage.model.requests[0]?.path).toContain("models/gemini-2.0-flash-exp:");
  expect(log + stage.server.stderr()).not.toContain("client-key-1");
  const files = await readdir(stage.data.directory, { recursive: true, withFileTypes: true });
  const texts = files
    .filter((file) => file.isFile())
    .map((file) => readFile(path.join(file.parentPath, file.name), "latin1"));
  expect(texts.length).toBeGreaterThan(0);
  expect((await Promise.all(texts)).join("")).not.toContain("client-key-1");
});

test("the log line of a request has the ids of the request, session and task [SRV-13]", async () => {
  await using stage = await openStage([geminiText("hello")]);

  const { taskId } = await stage.create(creation(stage.workspace.root));
  const url = `${stage.server.url}tasks/${taskId}/execute`;
  const id = "X-Request-Id: request-7";
  await runCurl("-X", "POST", url, "-H", JSON_TYPE, "-H", id, "-d", `{"message": "hi"}`);

  expect(JSON.parse(await stage.server.log("request-7"))).toMatchObject({
    requestId: "request-7",
    contextId: "context-123",
    taskId,
    path: `/tasks/${taskId}/execute`,
  });
});

test("an empty task and an open question still exist after a restart [SRV-14, LOG-03]", async () => {
  await using stage = await openStage();
  const { taskId } = await stage.create(creation(stage.workspace.root));
  await stage.restart();

  const streaming = stage.post(`/${taskId}/execute`, execution).catch(() => "cut off");
  const { toolCallId } = await findQuestion(stage.get, taskId);
  await stage.restart();
  await streaming;
  const answered = await stage.post(
    `/${taskId}/execute`,
    `{"confirmation": {"toolCallId": "${toolCallId}", "approved": true}}`,
  );

  expect(payloadsOf(answered)[0]).toMatchObject({ status: "executing" });
  expect(payloadsOf(answered).at(-1)).toMatchObject({ state: "completed" });
});

test("npm start in apps/server runs the server on CODER_AGENT_PORT [SRV-15, SRV-16, PKG-05]", async () => {
  await using data = await openDataDir();
  const folder = path.resolve(import.meta.dirname, "../../apps/server");
  const { scripts } = JSON.parse(await readFile(path.join(folder, "package.json"), "utf8"));
  const [program, ...args] = scripts.start.split(" ");
  const port = String(await findFreePort());
  const child = spawn(program === "node" ? process.execPath : program, args, {
    cwd: folder,
    env: { HOME: data.directory, CODER_AGENT_PORT: port },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");

  for await (const chunk of child.stdout) if (String(chunk).includes("listens on")) break;
  const health = await runCurl(`http://127.0.0.1:${port}/health`);
  child.kill("SIGTERM");

  expect(JSON.parse(health)).toEqual({
    status: "healthy",
    uptime: expect.any(Number),
    activeTasks: 0,
    totalTasks: 0,
  });
  expect(await exited).toEqual([0, null]);
});

test("tools.autoAccept in Gemini CLI's config file makes tools run without a question [SRV-11, SRV-20]", async () => {
  await using stage = await openStage(answers, "tools:\n  autoAccept: true\n");

  const { taskId } = await stage.create(creation(stage.workspace.root));
  const stream = await stage.post(`/${taskId}/execute`, execution);

  const statuses = payloadsOf(stream).flatMap(({ status }) => status ?? []);
  expect(statuses).toEqual(["requested", "executing", "completed"]);
  expect(payloadsOf(stream).some(({ confirmation }) => confirmation !== undefined)).toBe(false);
  expect(await stage.server.log("tools.autoAccept")).toContain("without a question");
});
