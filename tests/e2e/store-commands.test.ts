import { execFile } from "node:child_process";
import { appendFile, readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { connect } from "@dt/client";
import { openDatabase } from "@dt/tooling/postgres";
import { expect, test } from "vitest";
import { openDataDir } from "./support/data-dir.js";
import { startServerProcess } from "./support/server-process.js";
import { watchTask } from "./support/watch-task.js";

const main = path.resolve(import.meta.dirname, "../../apps/server/dist/main.js");

/** Runs a command of dt-server. Resolves with its output and its exit code. */
async function run(args: readonly string[], variables: Readonly<Record<string, string>>) {
  const env = { PATH: process.env.PATH ?? "", HOME: variables.DT_DATA_DIR ?? "", ...variables };
  const options = { env, maxBuffer: 64 * 1024 * 1024 };
  return await promisify(execFile)(process.execPath, [main, ...args], options).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
}

test("a running server is backed up, and its sessions continue in another store [OPS-01]", async () => {
  await using workspace = await openTempWorkspace();
  await using data = await openDataDir();
  await using database = await openDatabase();
  const variables = {
    DT_DATA_DIR: data.directory,
    DT_WORKSPACE_ROOTS: workspace.root,
    CODER_AGENT_PORT: "0",
  };
  const elsewhere = { ...variables, DT_STORE: database.url };
  const file = path.join(data.directory, "store.backup");
  await using server = await startServerProcess(variables);
  const client = await connect(server.url);
  const workspacePath = workspace.root;
  const task = await client.startTask({ workspacePath, prompt: "say one then run echo two" });
  const toolCallId = await watchTask(task).question();

  const migrated = await run(["migrate"], variables);
  const written = await run(["backup", file], variables);
  const exported = await run(["export", task.taskId], variables);
  client.close();
  await server.stop();
  const restored = await run(["restore", file], elsewhere);
  const again = await run(["restore", file], elsewhere);
  await using other = await startServerProcess(elsewhere);
  const otherClient = await connect(other.url);
  const continued = await otherClient.openTask(task.taskId);
  const answer = await continued.answer({ toolCallId }, "proceed_once");
  await watchTask(continued).done;

  expect([migrated.code, written.code, restored.code]).toEqual([0, 0, 0]);
  expect(written.stdout).toMatch(/^\d+ rows are in .*store\.backup/);
  expect(answer).toEqual({ accepted: true });
  const { events, task: folded, owner } = JSON.parse(exported.stdout);
  expect(owner).toBe("local");
  expect(folded).toMatchObject({ id: task.taskId, status: { state: "TASK_STATE_INPUT_REQUIRED" } });
  expect(events.map(({ position }: { position: number }) => position)).toEqual(
    events.map((_: unknown, index: number) => index + 1),
  );
  expect([again.code, again.stderr]).toEqual([
    2,
    expect.stringContaining("is not empty; --replace deletes its content before the restore"),
  ]);
  otherClient.close();
});

test.each([
  [["backup"], "dt-server backup needs a file; try dt-server --help"],
  [["backup", "a", "b"], "unexpected argument b"],
  [["migrate", "x"], "unexpected argument x"],
  [["export"], "dt-server export needs the id of a task"],
  [["backup", "x", "--replace"], "--replace is an option of dt-server restore"],
  [["restore", "/nowhere/x"], "/nowhere/x cannot be used: ENOENT"],
  [["backup", "/nowhere/x"], "there is no database"],
  [["export", "nope"], "there is no task nope"],
])("dt-server %j names the mistake and ends with 2 [OPS-01]", async (args, message) => {
  await using data = await openDataDir();

  const { code, stderr } = await run(args, { DT_DATA_DIR: data.directory });

  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});

test("a backup with a changed line is refused, and nothing is restored [OPS-01]", async () => {
  await using data = await openDataDir();
  await using other = await openDataDir();
  const variables = { DT_DATA_DIR: data.directory };
  const file = path.join(data.directory, "store.backup");
  await run(["token", "create", "--user", "ada", "--name", "x", "--role", "admin"], variables);
  await run(["backup", file], variables);
  const lines = (await readFile(file, "utf8")).split("\n");
  await appendFile(file, `${lines[1]}\n`);

  const restored = await run(["restore", file], { DT_DATA_DIR: other.directory });
  const tokens = await run(["token", "list"], { DT_DATA_DIR: other.directory });

  expect([restored.code, restored.stderr]).toEqual([
    2,
    expect.stringContaining(`is damaged in line ${lines.length};`),
  ]);
  expect(tokens.stdout).toContain("there is no token");
});
