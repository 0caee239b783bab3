import { callTool, say, scriptedModel, scriptedTool } from "@dt/agent-core/testing";
import { openMemoryStore } from "@dt/server";
import { openRefusingStore } from "@dt/server/testing";
import { expect, test } from "vitest";
import { openStage } from "./support/open-stage.js";
import { watchTask } from "./support/watch-task.js";

const REASON = "interrupted because a step of the session could not be stored";

function openGate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

/** A tool that runs until `finish` is called or its turn is aborted. */
function openSlowTool() {
  const start = openGate();
  const end = openGate();
  const tool = scriptedTool({
    name: "slow",
    actions: () => [],
    async run(_input, { signal }) {
      signal.addEventListener("abort", end.open);
      start.open();
      await end.opened;
      return "done";
    },
  });
  return { tool, started: start.opened, finish: end.open };
}

test("a turn fails if the store refuses a commit, and the session's next turn completes [LOG-01]", async () => {
  const store = openRefusingStore(openMemoryStore());
  const { tool, started, finish } = openSlowTool();
  const model = scriptedModel([[callTool("slow")], [say("hello again")]]);
  await using stage = await openStage({ model, tools: [tool], server: { store, sweepMs: 20 } });
  const client = await stage.connect({ reconnect: { baseMs: 5, maxMs: 20 } });
  const task = await client.startTask({ workspacePath: stage.workspace.root, prompt: "go" });
  const watched = watchTask(task);
  await started;

  store.refuse(new Error("database or disk is full"));
  finish();
  await expect.poll(() => stage.faults.length).toBeGreaterThan(0);
  store.accept();
  await watched.done;
  const next = await client.startTask({
    contextId: task.contextId,
    workspacePath: stage.workspace.root,
    prompt: "again",
  });
  await watchTask(next).done;

  expect(watched.seen.at(-1)).toMatchObject({ state: "failed", error: REASON });
  expect(
    watched.seen.flatMap((event) =>
      event.kind === "TOOL_CALL_UPDATE" && event.toolCall.status === "FAILED"
        ? [event.toolCall.result]
        : [],
    ),
  ).toEqual([{ $case: "error", value: { message: REASON, type: "interrupted" } }]);
  expect(tool.ran).toHaveLength(1);
  expect((await client.openTask(next.taskId)).view().state).toBe("completed");
});

test("a task whose commit was refused is stored as failed once the store works again [LOG-01]", async () => {
  const store = openRefusingStore(openMemoryStore());
  const { tool, started, finish } = openSlowTool();
  const model = scriptedModel([[callTool("slow")]]);
  await using stage = await openStage({ model, tools: [tool], server: { store, sweepMs: 5 } });
  const client = await stage.connect();
  const task = await client.startTask({ workspacePath: stage.workspace.root, prompt: "go" });
  await started;
  client.close();

  store.refuse(new Error("database or disk is full"));
  finish();
  await expect.poll(() => stage.faults.length).toBeGreaterThan(0);
  store.accept();

  await expect
    .poll(async () => (await store.findTask(task.taskId))?.state, { timeout: 300_000 })
    .toBe("failed");
});

test("commits of the status EXECUTING are critical, and parallel calls share one group of commits [LOG-03]", async () => {
  const store = openRefusingStore(openMemoryStore());
  const looks = { isReadOnly: true, actions: () => [] };
  const tools = [scriptedTool({ name: "look", ...looks }), scriptedTool({ name: "touch" })];
  const model = scriptedModel([
    [callTool("look"), callTool("look"), callTool("look")],
    [callTool("touch")],
  ]);
  await using stage = await openStage({ model, tools, server: { store } });
  const client = await stage.connect();
  const task = await client.startTask({ workspacePath: stage.workspace.root, prompt: "go" });
  const watched = watchTask(task);
  await task.answer({ toolCallId: await watched.question() }, "proceed_once");
  await watched.done;

  const starts = store.groups.map((commits) =>
    commits.flatMap(({ events, isCritical }) =>
      events.flatMap(({ event }) =>
        event.kind === "TOOL_CALL_UPDATE" && event.toolCall.status === "EXECUTING"
          ? [{ tool: event.toolCall.toolName, isAnswer: event.answer !== undefined, isCritical }]
          : [],
      ),
    ),
  );
  const look = { tool: "look", isAnswer: false, isCritical: true };
  expect(starts.filter((group) => group.length > 0)).toEqual([
    [look, look, look],
    [{ tool: "touch", isAnswer: true, isCritical: true }],
  ]);
});
