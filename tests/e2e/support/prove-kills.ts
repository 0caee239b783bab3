import { readFile } from "node:fs/promises";
import path from "node:path";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { type AgentClient, connect, type SessionEvent, type TaskHandle } from "@dt/client";
import { expect } from "vitest";
import { WebSocket } from "ws";
import { openDataDir } from "./data-dir.js";
import { createRandom } from "./random.js";
import { findFreePort, startServerProcess } from "./server-process.js";

/** The outcomes of the tasks of a proof. */
export interface KillReport {
  readonly completed: number;
  readonly interrupted: number;
}

/** Number of events of one task. The server is killed after a random event. */
export const EVENTS_OF_TASK = 12;

/**
 * Kills a server with kill -9 at random moments while a client drives a task with two questions, and
 * restarts it on the same data each time. `variables` are further variables of the server.
 *
 * Each kill proves that the client sees every event once and in order, that the shell command ran at most once
 * (and exactly once if its success was reported), that the task ends, and that no message was accepted twice.
 */
export async function proveKills(
  count: number,
  seed: number,
  variables: Readonly<Record<string, string>> = {},
): Promise<KillReport> {
  await using workspace = await openTempWorkspace();
  await using data = await openDataDir();
  const environment = {
    DT_DATA_DIR: data.directory,
    DT_WORKSPACE_ROOTS: workspace.root,
    CODER_AGENT_PORT: String(await findFreePort()),
    ...variables,
  };
  const random = createRandom(seed);
  const ends: string[] = [];
  let server = await startServerProcess(environment);
  for (let round = 0; round < count; round += 1) {
    const client = await connect(server.url, {
      reconnect: { baseMs: 5, maxMs: 50 },
      transport: round % 2 === 0 ? "sse" : "websocket",
      WebSocket,
    });
    const moment = { after: random(EVENTS_OF_TASK), ticks: random(200) };
    const killed = server;
    const restart = async () => {
      for (let tick = 0; tick < moment.ticks; tick += 1) await nextTick();
      await killed.kill();
      server = await startServerProcess(environment);
    };
    const taskFile = { root: workspace.root, file: `log-${round}.txt` };
    const drive = await driveTask(client, taskFile, moment.after, restart);
    const state = await checkTask(drive, taskFile).catch((cause: unknown) => {
      throw new Error(`round ${round} of seed ${seed}: ${JSON.stringify(moment)}`, { cause });
    });
    ends.push(state);
    client.close();
  }
  const health = await (await fetch(`${server.url}health`)).json();
  await server.kill();
  expect(health).toMatchObject({ activeTasks: 0, totalTasks: count });
  return toReport(ends);
}

/** Counts the last states of tasks. */
export function toReport(ends: readonly string[]): KillReport {
  return {
    completed: ends.filter((state) => state === "completed").length,
    interrupted: ends.filter((state) => state === "failed").length,
  };
}

/** The file to which the command of a task adds a line. */
export interface TaskFile {
  readonly root: string;
  readonly file: string;
}

/** A task that has ended, and the events that its watcher has seen. */
export interface Drive {
  readonly task: TaskHandle;
  readonly seen: readonly SessionEvent[];
}

/** Runs a task to its end, answers its questions, and kills the server after the given number of events. */
async function driveTask(
  client: AgentClient,
  { root, file }: TaskFile,
  killAfter: number,
  restart: () => Promise<void>,
): Promise<Drive> {
  const prompt = `say one then write ${file}.md: hi then run echo once >> ${file} then say two`;
  let restarted = killAfter === 0 ? restart() : undefined;
  const task = await client.startTask({ workspacePath: root, prompt });
  const seen: SessionEvent[] = [];
  const answers: Promise<unknown>[] = [];
  for await (const event of task.events()) {
    seen.push(event);
    if (seen.length === killAfter) restarted ??= restart();
    if (event.kind !== "STATE_CHANGE") continue;
    for (const call of event.waiting ?? []) answers.push(task.answer(call, "proceed_once"));
  }
  restarted ??= restart();
  await Promise.all([...answers, restarted]);
  return { task, seen };
}

/**
 * Proves that every event was seen once and in order, that the command ran at most once, and exactly once if its success
 * was reported, and that the task has ended. Returns its last state.
 */
export async function checkTask({ task, seen }: Drive, { root, file }: TaskFile): Promise<string> {
  const again: SessionEvent[] = [];
  for await (const event of task.events({ after: seen[0]?.cursor ?? "" })) again.push(event);
  const runs = await countLines(path.join(root, file));
  const statuses = seen.flatMap((event) =>
    event.kind === "TOOL_CALL_UPDATE" && event.toolCall.toolName === "run_shell_command"
      ? [event.toolCall.status]
      : [],
  );
  const last = seen.at(-1);
  expect(again).toEqual(seen.slice(1));
  expect(runs).toBeLessThanOrEqual(1);
  if (statuses.includes("SUCCEEDED")) expect(runs).toBe(1);
  if (!statuses.includes("EXECUTING")) expect(runs).toBe(0);
  expect(last).toMatchObject({ kind: "STATE_CHANGE" });
  expect(["completed", "failed"]).toContain(last?.state);
  if (last?.state === "failed") expect(last.error).toMatch(/interrupted/);
  return last?.state ?? "";
}

async function countLines(file: string): Promise<number> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text.split("\n").length - 1;
}

function nextTick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
