import path from "node:path";
import { type AgentEvent, connect } from "@dt/client";
import { buildCommandQuestion, createFakeAgent } from "@dt/client/testing";
import { expect, test } from "vitest";
import { connectToLocalAgent } from "./connect-to-local-agent.js";
import { describeChange } from "./describe-change.js";
import { describeEvent } from "./describe-event.js";
import { explainFailure } from "./explain-failure.js";
import { sendScreenshot } from "./send-a-file.js";

const workspacePath = "/workspace";

/** Returns the lines that a program shows for the events of one turn. */
async function showTurn(agent: ReturnType<typeof createFakeAgent>): Promise<string[]> {
  const client = await agent.connect({ clientName: "Ada" });
  const task = await client.startTask({ workspacePath, prompt: "go" });
  const lines: string[] = [];
  for await (const event of task.events()) lines.push(describeEvent(event) ?? "");
  client.close();
  return lines.filter((line) => line !== "");
}

test("describeEvent returns a line for a thought, a tool call, a text and an unknown event", async () => {
  const agent = createFakeAgent({
    async script(turn) {
      turn.think("plan", "list the files");
      turn.update({ ...buildCommandQuestion("ls"), status: "EXECUTING" });
      turn.say("done");
      turn.emit({ kind: "UNKNOWN", wireKind: "MUSIC", parts: [] });
    },
  });

  expect(await showTurn(agent)).toEqual([
    "(plan: list the files)",
    "[run_shell_command EXECUTING]",
    "done",
    "[an event that this version cannot show]",
  ]);
});

test("describeChange returns a line for each event of the session extension, and none for a text", async () => {
  const origin = { principal: "ada", name: "Ada" };
  const events: readonly AgentEvent[] = [
    { kind: "TITLE", title: "Fix the parser" },
    { kind: "TODOS", todos: [{ description: "Write a test", status: "PENDING" }] },
    {
      kind: "USAGE",
      report: { turn: undefined, session: undefined, contextTokens: 9, contextLimit: 0 },
    },
    { kind: "MODE", mode: { mode: "yolo", origin } },
    { kind: "WARNING", warning: { message: "the disk is full" } },
    { kind: "TEXT_CONTENT", text: "done" },
  ];
  const agent = createFakeAgent({
    async script(turn) {
      for (const event of events) turn.emit(event);
    },
  });
  const client = await agent.connect();
  const task = await client.startTask({ workspacePath, prompt: "go" });
  const lines: (string | undefined)[] = [];
  for await (const event of task.events()) lines.push(describeChange(event));
  client.close();

  expect(lines.filter((line) => line !== undefined)).toEqual([
    "Title: Fix the parser",
    "Still to do: 1",
    "Tokens in the context: 9",
    "Mode of Ada: yolo",
    "Warning: the disk is full",
  ]);
});

test("a screenshot is sent as a part of the prompt", async () => {
  const received: unknown[] = [];
  const agent = createFakeAgent({
    async script({ parts }) {
      received.push(...parts);
    },
  });
  const client = await agent.connect();

  const task = await sendScreenshot(client, workspacePath, new Uint8Array([1, 2, 3]));
  for await (const _ of task.events());
  client.close();

  expect(received).toEqual([
    { type: "text", text: "Why is this button cut off?" },
    { type: "file", bytes: "AQID", name: "screen.png", mediaType: "image/png" },
  ]);
});

test("explainFailure returns a sentence for every kind of error", async () => {
  const agent = createFakeAgent({ token: "secret" });
  const client = await agent.connect({ token: "secret" });
  const wrongAddress = await connect("nowhere").catch(explainFailure);
  const noTask = await client.openTask("none").catch(explainFailure);
  client.close();
  const afterClose = await client.openTask("none").catch(explainFailure);

  expect([wrongAddress, noTask, afterClose, explainFailure("?")]).toEqual([
    "nowhere is not an address; try http://127.0.0.1:41242",
    "the agent refused: there is no task none (task-not-found)",
    "this client was closed; connect again",
    "something unexpected happened",
  ]);
});

test("connectToLocalAgent returns no client if no agent runs", async () => {
  const DT_DATA_DIR = path.join(import.meta.dirname, "no-such-directory");

  expect(await connectToLocalAgent({ DT_DATA_DIR })).toBeUndefined();
});
