import path from "node:path";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { connect } from "@dt/client";
import { expect, test } from "vitest";
import { createToken } from "../e2e/support/create-token.js";
import { openStage } from "../e2e/support/open-stage.js";
import { startServerProcess } from "../e2e/support/server-process.js";
import { openWsClient } from "../e2e/ws-client.js";
import { openScreen, type Screen } from "./support/open-screen.js";

const ENTER = "\r";
const CTRL_O = "\x0f";
const untilIdle = (screen: Screen) =>
  screen.until((text) => text.includes("Ask anything") && !/working|Allow/.test(text));

/** Starts dt with an endpoint that other clients can join. */
async function openLive(args: readonly string[] = []) {
  const workspace = await openTempWorkspace();
  const screen = openScreen({
    cwd: workspace.root,
    args: ["--a2a-port", "0", ...args],
    columns: 120,
  });
  const [, url = ""] = /A2A (http:\S+)/.exec(await screen.until(/A2A http:\S+/)) ?? [];
  const attach = () => openScreen({ cwd: workspace.root, args: ["attach", url], columns: 120 });
  return {
    screen,
    url,
    attach,
    async [Symbol.asyncDispose]() {
      await screen[Symbol.asyncDispose]();
      await workspace[Symbol.asyncDispose]();
    },
  };
}

/** A prompt for a turn with more items than a snapshot contains. */
const manyThoughts = Array.from({ length: 230 }, (_, n) => `think T${n}: thought ${n}`).join("\n");

test("dt attach shows the same model, mode and number of clients as the terminal", async () => {
  await using live = await openLive(["--yolo"]);
  await using attached = live.attach();

  await attached.until(/offline · mode yolo .*· A2A http\S+ 1 client$/m);
  const socket = await openWsClient(`${live.url.replace("http", "ws")}ws`, { protocol: "" });
  await attached.until(/ 2 clients$/m);
  await live.screen.until(/ 2 clients$/m);
  socket.ws.close();
  await attached.until(/ 1 client$/m);
});

test("dt attach shows the mode that its own /mode command sets", async () => {
  await using live = await openLive();
  await using attached = live.attach();
  await attached.until("mode default");

  await untilIdle(attached);
  attached.type(`/mode plan${ENTER}`);

  await attached.until(/offline · mode plan /);
  expect(live.screen.text()).toContain("mode default");
});

test("a slash command in dt attach does not end the session", async () => {
  await using live = await openLive();
  await using one = live.attach();
  await using other = live.attach();
  await untilIdle(one);
  await untilIdle(other);

  one.type(`/stats${ENTER}`);
  await one.until("model: offline");
  await other.until("model: offline");
  await untilIdle(one);
  one.type(`say afterwards${ENTER}`);
  await one.until("● afterwards");
  await other.until("● afterwards");
  await using late = live.attach();
  await late.until("● afterwards");
  late.type(`/stats${ENTER}`);
  await late.until((text) => text.split("model: offline").length === 3);
  await using last = live.attach();
  await untilIdle(last);
  last.type(`say at last${ENTER}`);

  for (const screen of [live.screen, one, other, late, last]) {
    expect(await screen.until("● at last")).not.toContain("has ended");
  }
});

test("dt attach starts a session if the server has none", async () => {
  await using workspace = await openTempWorkspace();
  const { root: cwd } = workspace;
  await using server = await startServerProcess(
    { DT_DATA_DIR: path.join(cwd, "data"), DT_WORKSPACE_ROOTS: cwd, CODER_AGENT_PORT: "0" },
    cwd,
  );
  await using screen = openScreen({ cwd, args: ["attach", server.url], columns: 120 });

  await screen.until("/help");
  await untilIdle(screen);
  screen.type(`say hello${ENTER}`);

  await screen.until("● hello");
});

test("dt attach without the token that a server requires says how to give one", async () => {
  await using workspace = await openTempWorkspace();
  const cwd = workspace.root;
  await using server = await startServerProcess(
    { DT_DATA_DIR: path.join(cwd, "data"), CODER_AGENT_PORT: "0", DT_AUTH: "required" },
    cwd,
  );
  await using screen = openScreen({ cwd, args: ["attach", server.url], columns: 120 });

  expect(await screen.exited).toBe(2);
  expect(screen.text()).toBe(`${server.url} requires a valid token; set DT_TOKEN to one`);
});

test("dt attach with a token shows its own prompt without a name", async () => {
  await using workspace = await openTempWorkspace();
  const cwd = workspace.root;
  const dataDirectory = path.join(cwd, "data");
  const environment = { DT_DATA_DIR: dataDirectory, DT_WORKSPACE_ROOTS: cwd };
  await using server = await startServerProcess(
    { ...environment, CODER_AGENT_PORT: "0", DT_AUTH: "required" },
    cwd,
  );
  const token = await createToken(dataDirectory);
  const args = ["attach", server.url];
  await using screen = openScreen({ cwd, args, columns: 120, environment: { DT_TOKEN: token } });

  await untilIdle(screen);
  screen.type(`say hello${ENTER}`);
  await screen.until("● hello");

  expect(screen.history()).toContain("> say hello");
  expect(screen.history()).not.toContain("ada/test");
});

test("dt attach to a server's task shows its mode and its number of subscribers", async () => {
  await using stage = await openStage();
  const client = await connect(stage.url);
  const task = await client.startTask({
    workspacePath: stage.workspace.root,
    prompt: "write a.txt: hi",
  });
  const args = ["attach", stage.url, task.taskId];
  const cwd = stage.workspace.root;
  await using screen = openScreen({ cwd, args, columns: 120 });

  await screen.until(/offline · mode default · .*1 client$/m);
  await using _other = openScreen({ cwd, args, columns: 120 });
  await screen.until(/ 2 clients$/m);
  // The status bar is also updated after the task has ended.
  screen.type("3");
  await screen.until((text) => text.includes("cancelled") && !/working|Allow/.test(text));
  const counts = new Set<string>();
  await using _third = openScreen({ cwd, args, columns: 120 });
  await screen.until((text) => {
    for (const count of text.match(/\d clients?$/gm) ?? []) counts.add(count);
    return counts.has("3 clients");
  });
  expect([...counts]).toEqual(["2 clients", "3 clients"]);
  client.close();
});

test("dt attach to a server's task shows prompts of other clients after the task has ended", async () => {
  await using stage = await openStage();
  const client = await connect(stage.url, { clientName: "starter" });
  const task = await client.startTask({ workspacePath: stage.workspace.root, prompt: "say one" });
  for await (const _ of task.events());
  const args = ["attach", stage.url, task.taskId];
  await using screen = openScreen({ cwd: stage.workspace.root, args, columns: 120 });
  await screen.until("● one");

  await task.prompt("say two");
  await screen.until("● two");
  screen.type(`say three${ENTER}`);
  await screen.until("● three");

  const texts = screen.text().match(/^(●|>) .*(one|two|three)$/gm);
  expect(texts).toEqual([
    "> [A2A] starter say one",
    "● one",
    "> [A2A] starter say two",
    "● two",
    "> say three",
    "● three",
  ]);
  client.close();
});

test("Esc in dt attach to a server's task returns the queued prompt to the input field", async () => {
  await using stage = await openStage();
  const client = await connect(stage.url, { clientName: "starter" });
  const task = await client.startTask({
    workspacePath: stage.workspace.root,
    prompt: "write a.txt: hi",
  });
  const args = ["attach", stage.url, task.taskId];
  await using screen = openScreen({ cwd: stage.workspace.root, args, columns: 120 });

  await screen.until("› 1 Allow once");
  screen.type(`say mine${ENTER}`);
  await screen.until("queued: say mine");
  screen.type("\x1b");
  await screen.until("> say mine");
  expect(screen.text()).toContain("your queued prompts were cancelled with the turn");
  screen.type(ENTER);
  await screen.until("● mine");
  client.close();
});

test("the pager of dt attach shows all events, not only those of the snapshot", async () => {
  await using live = await openLive();
  const client = await connect(live.url);
  const { taskId } = (await client.listTasks()[Symbol.asyncIterator]().next()).value ?? {};
  const handle = await client.openTask(taskId ?? "");
  await handle.prompt("say the very first words");
  await handle.prompt(manyThoughts);
  await live.screen.until("∴ T229");
  await untilIdle(live.screen);

  await using attached = live.attach();
  await untilIdle(attached);
  attached.type(`say the newest words${ENTER}`);
  await attached.until("● the newest words");
  await untilIdle(attached);
  attached.type(CTRL_O);
  await attached.until(/history \d+\/235 ·/);
  expect(attached.text()).toContain("● the newest words");
  attached.type("g");
  await attached.until(/history 1\/235 ·/);

  expect(attached.text()).toContain("● the very first words");
  client.close();
});

test("the pager of dt attach shows the earlier tasks of a server's session", async () => {
  await using stage = await openStage();
  const client = await connect(stage.url);
  const task = await client.startTask({
    workspacePath: stage.workspace.root,
    prompt: "say the very first words",
  });
  await task.watch(() => {});
  await task.prompt(manyThoughts);
  await task.watch(() => {});
  await task.prompt("say the last words");
  await task.watch(() => {});
  const args = ["attach", stage.url, task.taskId];
  await using screen = openScreen({ cwd: stage.workspace.root, args, columns: 120 });
  await untilIdle(screen);

  screen.type(CTRL_O);
  await screen.until(/history \d+\/235 ·/);
  screen.type("g");
  await screen.until(/history 1\/235 ·/);

  expect(screen.text()).toContain("● the very first words");
  client.close();
});
