// Runs example programs and loops of the client with a live session, whose task does not end after a turn.
import { openTempWorkspace } from "@dt/agent-core/testing";
import { connect, isText, turnOf } from "@dt/client";
import { expect, test } from "vitest";
import { runExample, sessionPrograms } from "../e2e/support/run-example.js";
import { openScreen } from "./support/open-screen.js";

async function openLive() {
  const workspace = await openTempWorkspace();
  const args = ["--a2a-port", "0"];
  const screen = openScreen({ cwd: workspace.root, args, columns: 120, rows: 40 });
  const shown = await screen.until(/A2A http:\S+/);
  return {
    workspace,
    screen,
    url: /A2A (http:\S+)/.exec(shown)?.[1] ?? "",
    async [Symbol.asyncDispose]() {
      await screen[Symbol.asyncDispose]();
      await workspace[Symbol.asyncDispose]();
    },
  };
}

test.each(sessionPrograms)(
  "the program of the example $name exits at the end of its turn in a live session",
  async ({ name, args, expected }) => {
    await using live = await openLive();

    const { exitCode, output } = await runExample(name, args(live.url), live.workspace.root);

    expect(output).toMatch(expected);
    expect(exitCode).toBe(0);
  },
);

test("stream-a-prompt cancels a turn at its question and leaves the live session open", async () => {
  await using live = await openLive();
  const { url, workspace, screen } = live;

  const asked = await runExample("stream-a-prompt", ["write a.txt: a", url], workspace.root);
  const again = await runExample("stream-a-prompt", ["say still here", url], workspace.root);

  expect(asked.output).toContain("canceled: the turn was cancelled");
  expect(asked.exitCode).toBe(1);
  expect(again.output).toContain("still here\ncompleted");
  await screen.until("● still here");
});

test("a loop waits for a prompt that is queued behind the terminal's turn", async () => {
  await using live = await openLive();
  const client = await connect(live.url, { clientName: "late" });
  live.screen.type("write a.txt: a then say first\r");
  await live.screen.until(/Allow write_file\?[\s\S]*› 1 Allow once/);

  const task = await client.startTask({ prompt: "say second" });
  expect(turnOf(task.view())).toEqual({ status: "running" });
  const texts: string[] = [];
  const reading = (async () => {
    for await (const event of task.events()) if (isText(event)) texts.push(event.text);
  })();
  await live.screen.until("queued: [A2A] late say second");
  live.screen.type("1");
  await reading;
  client.close();

  expect(texts).toEqual(["first", "second"]);
  expect(turnOf(task.view())).toEqual({ status: "completed" });
});

test("a loop on an idle live session yields several turns of the terminal", async () => {
  await using live = await openLive();
  const client = await connect(live.url, { clientName: "observer" });
  const { value: first } = await client.listTasks()[Symbol.asyncIterator]().next();
  const task = await client.openTask(first?.taskId ?? "");
  expect(turnOf(task.view())).toEqual({ status: "completed" });

  const texts: string[] = [];
  live.screen.type("say one\r");
  for await (const event of task.events()) {
    if (!isText(event)) continue;
    texts.push(event.text);
    if (texts.length === 2) break;
    await live.screen.until("● one");
    live.screen.type("say two\r");
  }
  client.close();

  expect(texts).toEqual(["one", "two"]);
});
