import { openTempWorkspace } from "@dt/agent-core/testing";
import { connect } from "@dt/client";
import { openStorageStandIn } from "@dt/server/testing";
import { Storage } from "@google-cloud/storage";
import { expect, test } from "vitest";
import { openDataDir } from "../support/data-dir.js";
import { proveKills } from "../support/prove-kills.js";
import { startServerProcess } from "../support/server-process.js";
import { watchTask } from "../support/watch-task.js";
import { createLoadTask } from "./load-task.js";

/** A task as the route of the server reference shows it. */
interface ShownTask {
  readonly contextId: string;
  readonly artifacts: readonly unknown[];
  readonly history: readonly unknown[];
}

/** Opens a stand-in of Google Cloud Storage, and starts servers on it. */
async function openStage() {
  const storage = await openStorageStandIn();
  const workspace = await openTempWorkspace();
  const data = await openDataDir();
  const servers: Awaited<ReturnType<typeof startServerProcess>>[] = [];
  return {
    storage,
    workspace,
    async start(variables: Readonly<Record<string, string>> = {}) {
      const server = await startServerProcess({
        DT_DATA_DIR: data.directory,
        DT_WORKSPACE_ROOTS: workspace.root,
        CODER_AGENT_PORT: "0",
        DT_STORE: "gcs",
        STORAGE_EMULATOR_HOST: storage.endpoint,
        ...variables,
      });
      servers.push(server);
      return server;
    },
    async [Symbol.asyncDispose]() {
      for (const server of servers) await server.kill();
      for (const part of [storage, workspace, data]) await part[Symbol.asyncDispose]();
    },
  };
}

test("with a bucket, a server that is killed three times loses and repeats nothing and runs no tool twice [LOG-01, LOG-02, LOG-03, LOG-05, SRV-14, SRV-23]", async () => {
  await using storage = await openStorageStandIn();

  const { completed, interrupted } = await proveKills(3, 20_262, {
    DT_STORE: "gcs",
    STORAGE_EMULATOR_HOST: storage.endpoint,
  });

  expect(completed + interrupted).toBe(3);
});

test("the loadTask of the server reference returns the task that dt-server stored in the default bucket [SRV-14, SRV-15]", async () => {
  await using stage = await openStage();
  const { storage, workspace } = stage;
  const server = await stage.start({ GOOGLE_CLOUD_PROJECT: "project" });
  const client = await connect(server.url);
  const task = await client.startTask({
    workspacePath: workspace.root,
    prompt: "write notes/a.txt: one then write notes/a.txt: two then say done",
    settings: { autoExecute: true },
  });
  await watchTask(task).done;
  const taskId = task.taskId;
  const bucket = new Storage({ apiEndpoint: storage.endpoint, projectId: "project" }).bucket(
    "gemini-cli-a2a-tasks",
  );
  const loadTask = createLoadTask(bucket);
  await expect.poll(() => storage.objects.has(`tasks/${taskId}/state.json`)).toBe(true);

  const answered = await fetch(`${server.url}tasks/${taskId}`);
  const { contextId: _, artifacts, ...shown } = (await answered.json()) as ShownTask;

  expect(await loadTask(taskId)).toEqual({ ...shown, artifacts: [] });
  expect(shown.history.length).toBeGreaterThan(2);
  expect(artifacts).toHaveLength(1);
  const written = storage.objects.get(`tasks/${taskId}/artifacts/notes/a.txt`);
  expect(written?.body.toString()).toBe(await workspace.read("notes/a.txt"));
  expect(storage.objects.get(`tasks/${taskId}/artifacts/answers/answer`)?.body.toString()).toMatch(
    /done/,
  );
  const writes = storage.requests.filter(
    ({ type, name }) => type === "insert" && name === `tasks/${taskId}/state.json`,
  );
  expect(writes).toHaveLength(1);
  client.close();
});

test("a second dt-server takes the bucket over; the first server stores nothing more and answers 503 [SRV-14, SRV-23]", async () => {
  await using stage = await openStage();
  const workspacePath = stage.workspace.root;
  const first = await stage.start();
  const client = await connect(first.url, { reconnect: { baseMs: 20, maxMs: 100 } });
  const task = await client.startTask({ workspacePath, prompt: "run echo ran >> log.txt" });
  const toolCallId = await watchTask(task).question();

  const second = await stage.start();
  const health = async () => (await fetch(`${first.url}health`)).status;
  await expect.poll(health).toBe(503);
  const refused = await fetch(`${first.url}v1/message:send`, {
    method: "POST",
    headers: { "content-type": "application/json", "A2A-Version": "1.0" },
    body: JSON.stringify({
      message: { messageId: "m-1", role: "ROLE_USER", parts: [{ text: "say no" }] },
    }),
  });
  client.close();
  const other = await connect(second.url);
  const resumed = await other.openTask(task.taskId);
  const answer = await resumed.answer({ toolCallId }, "proceed_once");
  await watchTask(resumed).done;

  expect(refused.status).toBe(503);
  expect(answer).toEqual({ accepted: true });
  expect(await stage.workspace.read("log.txt")).toBe("ran\n");
  expect((await fetch(`${second.url}health`)).status).toBe(200);
  other.close();
});

test("while the bucket fails, /health is 503; afterwards nothing is lost [LOG-07, SRV-14, SRV-16]", async () => {
  await using stage = await openStage();
  const workspacePath = stage.workspace.root;
  const server = await stage.start();
  const health = async () => (await fetch(`${server.url}health`)).status;
  const client = await connect(server.url, { reconnect: { baseMs: 20, maxMs: 100 } });
  const task = await client.startTask({ workspacePath, prompt: "say before then run echo x" });
  const toolCallId = await watchTask(task).question();

  const repair = stage.storage.fail({ status: 503 });
  const during = await health();
  repair();
  await expect.poll(health).toBe(200);
  const answer = await task.answer({ toolCallId }, "proceed_once");

  expect(during).toBe(503);
  expect(answer).toEqual({ accepted: true });
  client.close();
});

test.each([
  [{ DT_STORE: "s3" }, "DT_STORE: expected gcs, gcs:FOLDER, or an address such as postgres://"],
  [{ A2A_GCS_BUCKET: "nowhere" }, "there is no bucket nowhere; create it, or name another one in"],
  [
    { GOOGLE_APPLICATION_CREDENTIALS: "/nowhere.json" },
    "GOOGLE_APPLICATION_CREDENTIALS: the file /nowhere.json cannot be read",
  ],
])("dt-server does not start with the variables %j [SRV-15]", async (variables, reason) => {
  await using stage = await openStage();

  await expect(stage.start(variables)).rejects.toThrow(reason);
});
