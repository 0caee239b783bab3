import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { connect, type SessionEvent } from "@dt/client";
import { expect, test } from "vitest";
import { findFreePort, startServerProcess } from "./support/server-process.js";
import { watchTask } from "./support/watch-task.js";

async function openDataDir() {
  const directory = await mkdtemp(path.join(tmpdir(), "dt-data-"));
  return {
    directory,
    async [Symbol.asyncDispose]() {
      await rm(directory, { recursive: true, force: true });
    },
  };
}

for (const version of ["0.3", "1.0"] as const)
  test(`a question can be answered after kill -9 and its tool runs once, over A2A ${version} [LOG-01, LOG-02, LOG-03]`, async () => {
    await using workspace = await openTempWorkspace();
    await using data = await openDataDir();
    const environment = {
      DT_DATA_DIR: data.directory,
      DT_WORKSPACE_ROOTS: workspace.root,
      CODER_AGENT_PORT: String(await findFreePort()),
    };
    await using first = await startServerProcess(environment);
    const client = await connect(first.url, { version, reconnect: { baseMs: 20, maxMs: 100 } });
    // Each run of the tool adds a line to the file, so the test can count the runs.
    const prompt = "say before then run echo ran >> log.txt then say after";
    const task = await client.startTask({ workspacePath: workspace.root, prompt });
    const watched = watchTask(task);
    const toolCallId = await watched.question();

    await first.kill();
    await using _second = await startServerProcess(environment);
    const answer = await task.answer({ toolCallId }, "proceed_once");
    const again = await task.answer({ toolCallId }, "proceed_once");
    await watched.done;

    expect(answer).toEqual({ accepted: true });
    expect(again).toMatchObject({ accepted: false, selectedOptionId: "proceed_once" });
    expect(await workspace.read("log.txt")).toBe("ran\n");
    expect(
      watched.seen.map((event) =>
        event.kind === "TOOL_CALL_UPDATE"
          ? event.toolCall.status
          : event.kind === "TEXT_CONTENT"
            ? event.text
            : event.kind === "TITLE"
              ? event.title
              : event.state,
      ),
    ).toEqual([
      "working",
      prompt,
      "before",
      "PENDING",
      "input-required",
      "EXECUTING",
      "SUCCEEDED",
      "after",
      "completed",
    ]);
    expect(new Set(watched.seen.map((event) => event.cursor)).size).toBe(9);
    client.close();
  });

test("a subscription to an ended task after kill -9 gets exactly the events after its cursor [LOG-02]", async () => {
  await using workspace = await openTempWorkspace();
  await using data = await openDataDir();
  const environment = {
    DT_DATA_DIR: data.directory,
    DT_WORKSPACE_ROOTS: workspace.root,
    CODER_AGENT_PORT: String(await findFreePort()),
  };
  await using first = await startServerProcess(environment);
  const client = await connect(first.url);
  const task = await client.startTask({
    workspacePath: workspace.root,
    prompt: "say one then say two",
  });
  const before: SessionEvent[] = [];
  for await (const event of task.events()) before.push(event);

  await first.kill();
  await using _second = await startServerProcess(environment);
  const after: SessionEvent[] = [];
  for await (const event of task.events({ after: before[1]!.cursor! })) after.push(event);
  const reopened = await client.openTask(task.taskId);

  expect(after).toEqual(before.slice(2));
  expect(reopened.view()).toMatchObject({ state: "completed", openCalls: [] });
  client.close();
});

test("a second server on the same data directory exits with 2 and one error line", async () => {
  await using workspace = await openTempWorkspace();
  await using data = await openDataDir();
  const environment = {
    DT_DATA_DIR: data.directory,
    DT_WORKSPACE_ROOTS: workspace.root,
    CODER_AGENT_PORT: "0",
  };
  await using _first = await startServerProcess(environment);

  const second = startServerProcess(environment);

  await expect(second).rejects.toThrow(
    /^dt-server ended with 2: \S+ is in use by another process[^\n]*\n$/,
  );
});
