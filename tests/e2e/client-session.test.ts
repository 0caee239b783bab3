import type { ConnectionState, SessionEvent } from "@dt/client";
import { expect, test } from "vitest";
import { openStage } from "./support/open-stage.js";

/** An event in a word or two. */
function brief(event: SessionEvent): string {
  if (event.kind === "TEXT_CONTENT") return event.text;
  return event.kind === "STATE_CHANGE" ? event.state : event.kind;
}

for (const version of ["0.3", "1.0"] as const) {
  test(`one handle carries the conversation on after its task has ended, over A2A ${version} [RFC-27]`, async () => {
    await using stage = await openStage();
    const client = await stage.connect({ version });
    const task = await client.startTask({
      workspacePath: stage.workspace.root,
      prompt: "say one",
    });
    const firstTask = task.taskId;
    const seen: string[] = [];

    for await (const event of task.events()) {
      seen.push(brief(event));
      if (brief(event) === "completed" && seen.length === 3) {
        await task.prompt("say two");
      }
    }

    expect(seen.filter((word) => word !== "USER_PROMPT")).toEqual([
      "working",
      "one",
      "completed",
      "working",
      "two",
      "completed",
    ]);
    expect(task.taskId === firstTask).toBe(version === "0.3");
    expect(task.view().state).toBe("completed");
  });
}

test("a view is kept up to date for whoever watches it", async () => {
  await using stage = await openStage();
  const client = await stage.connect();
  const task = await client.startTask({
    workspacePath: stage.workspace.root,
    prompt: "say one then say two",
  });
  const texts: string[] = [];

  await task.watch((view) => {
    const last = view.items.at(-1)?.event;
    if (last?.kind === "TEXT_CONTENT") texts.push(last.text);
  });

  expect(texts.at(-1)).toBe("onetwo");
  expect(task.view().state).toBe("completed");
});

test("files and data in a prompt reach the agent and come back in the history, never dropped", async () => {
  await using stage = await openStage();
  const client = await stage.connect();
  const parts = [
    { type: "text", text: "say thanks" },
    { type: "file", bytes: "aGk=", name: "hi.txt", mediaType: "text/plain" },
    { type: "data", data: { line: 7 } },
  ] as const;

  const task = await client.startTask({ workspacePath: stage.workspace.root, prompt: parts });
  for await (const _ of task.events());
  const { items } = (await client.openTask(task.taskId)).view();

  expect(items[0]?.event).toMatchObject({ kind: "USER_PROMPT", parts });
});

test("a client that is told to stop says so and stops", async () => {
  await using stage = await openStage();
  const client = await stage.connect();
  const states: ConnectionState["status"][] = [];
  client.onConnectionChange((state) => states.push(state.status));
  const task = await client.startTask({
    workspacePath: stage.workspace.root,
    prompt: "write a.txt: hi",
  });

  for await (const event of task.events()) {
    if (event.state === "input-required") client.close();
  }

  expect(states).toEqual(["closed"]);
});
