import { openTempWorkspace } from "@dt/agent-core/testing";
import { connect } from "@dt/client";
import { openDatabase, startPostgres } from "@dt/tooling/postgres";
import { expect, test } from "vitest";
import { openDataDir } from "../support/data-dir.js";
import { proveKills } from "../support/prove-kills.js";
import { findFreePort, startServerProcess } from "../support/server-process.js";
import { watchTask } from "../support/watch-task.js";

test("with Postgres, a server that is killed four times loses and repeats no event and runs no tool twice [LOG-01, LOG-02, LOG-03, LOG-05, SRV-23]", async () => {
  await using database = await openDatabase();

  const { completed, interrupted } = await proveKills(4, 20_261, { DT_STORE: database.url });

  expect(completed + interrupted).toBe(4);
});

test("while Postgres is away, /health is 503 and prompts are refused, and nothing is lost [LOG-07, SRV-16]", async () => {
  await using postgres = await startPostgres();
  await using workspace = await openTempWorkspace();
  await using data = await openDataDir();
  await using server = await startServerProcess({
    DT_DATA_DIR: data.directory,
    DT_WORKSPACE_ROOTS: workspace.root,
    CODER_AGENT_PORT: String(await findFreePort()),
    DT_STORE: postgres.url,
  });
  const health = async () => (await fetch(`${server.url}health`)).status;
  const client = await connect(server.url, { reconnect: { baseMs: 20, maxMs: 100 } });
  const workspacePath = workspace.root;
  const prompt = "say before then run echo ran >> log.txt then say after";
  const task = await client.startTask({ workspacePath, prompt });
  const watched = watchTask(task);
  const toolCallId = await watched.question();
  expect(await health()).toBe(200);

  await postgres.crash();
  expect(await health()).toBe(503);
  await expect(client.startTask({ workspacePath, prompt: "say no" })).rejects.toThrow(
    /the database 127\.0\.0\.1:\d+\/postgres cannot be reached/,
  );
  await postgres.start();
  await expect.poll(health, { timeout: 600_000 }).toBe(200);
  const answer = await task.answer({ toolCallId }, "proceed_once");
  await watched.done;

  expect(answer).toEqual({ accepted: true });
  expect(await workspace.read("log.txt")).toBe("ran\n");
  expect(watched.seen.at(-1)?.state).toBe("completed");
  expect(server.stderr()).not.toContain("postgres@");
  client.close();
});

test("a client goes on after the database was away for longer than a lease [LOG-07, SRV-27]", async () => {
  await using postgres = await startPostgres();
  await using workspace = await openTempWorkspace();
  await using data = await openDataDir();
  await using server = await startServerProcess({
    DT_DATA_DIR: data.directory,
    DT_WORKSPACE_ROOTS: workspace.root,
    CODER_AGENT_PORT: "0",
    DT_STORE: postgres.url,
    DT_LEASE_SECONDS: "1",
  });
  const client = await connect(server.url, { reconnect: { baseMs: 20, maxMs: 100 } });
  const workspacePath = workspace.root;
  const prompt = "say one then wait 3600000";
  const task = await client.startTask({ workspacePath, prompt });
  const watched = watchTask(task);
  await watched.until(({ kind }) => kind === "TEXT_CONTENT");

  await postgres.crash();
  await server.log("was not renewed in time");
  const starting = client.startTask({ workspacePath, prompt: "say two" });
  await expect.poll(() => client.connection.status, { timeout: 600_000 }).toBe("reconnecting");
  await postgres.start();
  await watched.done;
  const late = watchTask(await starting);
  await late.done;

  expect(watched.seen.at(-1)?.state).toBe("failed");
  expect(late.seen.at(-1)?.state).toBe("completed");
  client.close();
});

test("if an instance is killed during a turn, another instance takes over its sessions [SRV-27]", async () => {
  await using database = await openDatabase();
  await using workspace = await openTempWorkspace();
  await using firstData = await openDataDir();
  await using secondData = await openDataDir();
  const environment = {
    DT_WORKSPACE_ROOTS: workspace.root,
    DT_STORE: database.url,
    DT_LEASE_SECONDS: "5",
    CODER_AGENT_PORT: "0",
  };
  await using first = await startServerProcess({
    ...environment,
    DT_DATA_DIR: firstData.directory,
  });
  await using second = await startServerProcess({
    ...environment,
    DT_DATA_DIR: secondData.directory,
  });
  const workspacePath = workspace.root;
  const [one, other] = [await connect(first.url), await connect(second.url)];
  const asking = await one.startTask({ workspacePath, prompt: "run echo ran >> log.txt" });
  const toolCallId = await watchTask(asking).question();
  const settings = { autoExecute: true };
  const working = await one.startTask({ workspacePath, prompt: "run sleep 600", settings });
  await watchTask(working).until(
    (event) => event.kind === "TOOL_CALL_UPDATE" && event.toolCall.status === "EXECUTING",
  );
  const joined = await other.openTask(asking.taskId);

  await first.kill();
  const stateOf = async () => (await other.openTask(working.taskId)).view().state;
  await expect.poll(stateOf, { timeout: 600_000 }).toBe("failed");
  const watched = watchTask(joined);
  await expect.poll(answerOf, { timeout: 600_000 }).toEqual({ accepted: true });
  await watched.done;

  expect(await workspace.read("log.txt")).toBe("ran\n");
  one.close();
  other.close();

  // The session of the question is free only when the lease of the first instance has ended.
  async function answerOf(): Promise<unknown> {
    return await joined.answer({ toolCallId }, "proceed_once").catch(() => undefined);
  }
});

test("an instance that was paused beyond its lease ends its child processes when it continues [SRV-27]", async () => {
  await using database = await openDatabase();
  await using workspace = await openTempWorkspace();
  await using pausedData = await openDataDir();
  await using otherData = await openDataDir();
  const environment = {
    DT_WORKSPACE_ROOTS: workspace.root,
    DT_STORE: database.url,
    DT_LEASE_SECONDS: "5",
    CODER_AGENT_PORT: "0",
  };
  const start = async (data: { readonly directory: string }) =>
    await startServerProcess({ ...environment, DT_DATA_DIR: data.directory });
  await using paused = await start(pausedData);
  await using other = await start(otherData);
  const workspacePath = workspace.root;
  const [one, two] = [await connect(paused.url), await connect(other.url)];
  const prompt = "run echo $$ > pid.txt && exec sleep 600";
  const settings = { autoExecute: true };
  const { taskId } = await one.startTask({ workspacePath, prompt, settings });
  const readPid = async () => Number(await workspace.read("pid.txt").catch(() => ""));
  await expect.poll(readPid, { timeout: 600_000 }).toBeGreaterThan(0);
  const pid = await readPid();

  paused.child.kill("SIGSTOP");
  const stateOf = async () => (await two.openTask(taskId)).view().state;
  await expect.poll(stateOf, { timeout: 600_000 }).toBe("failed");
  const wasRunning = isRunning(pid);
  paused.child.kill("SIGCONT");

  await expect.poll(() => isRunning(pid), { timeout: 600_000 }).toBe(false);
  expect(wasRunning).toBe(true);
  one.close();
  two.close();
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
