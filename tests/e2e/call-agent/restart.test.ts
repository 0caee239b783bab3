import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { connect, isToolCall, type TaskView, type ToolCall } from "@dt/client";
import { expect, test } from "vitest";
import { openAgentServer, orderCall } from "../support/open-agent-server.js";
import { findFreePort, startServerProcess } from "../support/server-process.js";

/** Creates a home directory whose settings name one agent. */
async function openHome(reviewer: object) {
  const directory = await mkdtemp(path.join(tmpdir(), "dt-home-"));
  await mkdir(path.join(directory, ".config/dt"), { recursive: true });
  const settings = JSON.stringify({ model: "offline", agents: { reviewer } });
  await writeFile(path.join(directory, ".config/dt/config.yaml"), settings);
  return {
    directory,
    async [Symbol.asyncDispose]() {
      await rm(directory, { recursive: true, force: true });
    },
  };
}

const errorOf = ({ result }: ToolCall) => (result?.$case === "error" ? result.value.message : "");

test("after kill -9 the failed call names the called agent's task, and /retry joins that task [SRV-24]", async () => {
  await using called = await openAgentServer();
  await using workspace = await openTempWorkspace();
  await using home = await openHome({ url: called.url, workspacePath: called.workspace.root });
  const environment = {
    DT_DATA_DIR: home.directory,
    DT_WORKSPACE_ROOTS: workspace.root,
    CODER_AGENT_PORT: String(await findFreePort()),
  };
  await using first = await startServerProcess(environment);
  const client = await connect(first.url, { reconnect: { baseMs: 20, maxMs: 100 } });
  // The called agent waits for the answer to its question while the calling server is killed.
  // The offline model makes the second, equal call when the turn is retried.
  const order = orderCall("reviewer", "write a.txt: from B\nsay done");
  const prompt = `${order}\n${order}`;
  const task = await client.startTask({ workspacePath: workspace.root, prompt });
  for await (const event of task.events()) {
    if (!isToolCall(event) || event.toolCall.confirmationRequest === undefined) continue;
    if (event.parentCallId !== undefined) break;
    await task.answer(event.toolCall, "proceed_once");
  }
  await first.kill();
  await using second = await startServerProcess(environment);
  const again = await connect(second.url);
  const theirs = await connect(called.url);
  const before = await listTasks(theirs);

  const run = await again.run(["retry"], "", { contextId: task.contextId });
  let result: ToolCall | undefined;
  for await (const event of run.events()) {
    if (!isToolCall(event)) continue;
    if (event.parentCallId === undefined) result = event.toolCall;
    if (event.toolCall.confirmationRequest === undefined) continue;
    await run.task?.answer(event.toolCall, "proceed_once");
  }

  const ended = (await again.openSession(task.contextId)).view();
  const interrupted = ended.items.flatMap(({ event }) =>
    event.kind === "TOOL_CALL_UPDATE" && event.toolCall.status === "FAILED" ? [event.toolCall] : [],
  );
  expect(interrupted.map(errorOf)).toEqual([
    expect.stringContaining(`task ${before[0]?.taskId} of the agent reviewer may still run`),
  ]);
  expect(result?.status).toBe("SUCCEEDED");
  expect(await called.workspace.read("a.txt")).toBe("from B");
  expect((await listTasks(theirs)).map(({ taskId }) => taskId)).toEqual([before[0]?.taskId]);
  for (const each of [client, again, theirs]) each.close();
});

async function listTasks(client: Awaited<ReturnType<typeof connect>>): Promise<TaskView[]> {
  const tasks: TaskView[] = [];
  for await (const task of client.listTasks()) tasks.push(task);
  return tasks;
}
