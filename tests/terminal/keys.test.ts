import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { connect } from "@dt/client";
import { expect, test } from "vitest";
import { openManualModel } from "./support/open-manual-model.js";
import { openScreen, type Screen } from "./support/open-screen.js";

const ENTER = "\r";
const UP = "\x1b[A";
const SHIFT_TAB = "\x1b[Z";
const CTRL_C = "\x03";
const CTRL_Y = "\x19";
const ASKS_TO_LEAVE = "press Ctrl-C again to leave";
const untilIdle = (screen: Screen) =>
  screen.until((text) => text.includes("Ask anything") && !/working|Allow/.test(text));

/** Starts dt, and for "dt attach" a second terminal that joins the first. `screen` is under test. */
async function openStage(kind: "dt" | "dt attach", environment: Record<string, string> = {}) {
  const workspace = await openTempWorkspace();
  const args = kind === "dt" ? [] : ["--a2a-port", "0"];
  const host = openScreen({ cwd: workspace.root, args, columns: 120, environment });
  await untilIdle(host);
  const url = () => /A2A (http:\S+)/.exec(host.text())?.[1] ?? "";
  if (kind === "dt attach") await host.until(/A2A http:\S+/);
  const screen =
    kind === "dt"
      ? host
      : openScreen({ cwd: workspace.root, args: ["attach", url()], columns: 120, environment });
  await untilIdle(screen);
  return {
    host,
    screen,
    async send(text: string) {
      await untilIdle(screen);
      screen.type(`${text}${ENTER}`);
    },
    async [Symbol.asyncDispose]() {
      if (screen !== host) await screen[Symbol.asyncDispose]();
      await host[Symbol.asyncDispose]();
      await workspace[Symbol.asyncDispose]();
    },
  };
}

const BOTH = ["dt", "dt attach"] as const;

test("a prompt typed while dt loads is sent when dt is ready", async () => {
  await using workspace = await openTempWorkspace();
  await using screen = openScreen({ cwd: workspace.root });

  screen.type(`say one${ENTER}say two${ENTER}half a pro`);

  await screen.until(/^> half a pro$/m);
  await screen.until(/^● one$[\s\S]*^● two$/m);
});

test("text typed while dt loads is not shown above its screen", async () => {
  await using workspace = await openTempWorkspace();
  const port = await openSilentPort();
  await using screen = openScreen({ cwd: workspace.root, args: ["attach", port.url] });
  await port.requested;

  screen.type("half a prompt");
  screen.type(CTRL_C);

  expect(await screen.exited).toBe(130);
  expect(screen.raw()).not.toContain("half");
  await port.close();
});

test.each(BOTH)(
  "in %s, Ctrl-C cancels the turn, then clears the input field, then exits",
  async (kind) => {
    await using stage = await openStage(kind);
    const { screen } = stage;
    await stage.send("wait 3600000 then say never");
    await screen.until("working");

    screen.type(`half a prompt${CTRL_C}`);
    await screen.until((text) => text.includes("the turn was cancelled") && !/working/.test(text));
    expect(screen.text()).toContain("> half a prompt");
    expect(screen.text()).not.toContain(ASKS_TO_LEAVE);
    screen.type(CTRL_C);
    await screen.until(ASKS_TO_LEAVE);
    expect(screen.text()).not.toContain("> half a prompt");
    screen.type(CTRL_C);

    expect(await screen.exited).toBe(130);
  },
);

test.each(BOTH)("in %s, Ctrl-C at a question cancels the turn", async (kind) => {
  await using stage = await openStage(kind);
  await stage.send("write a.txt: hi then say finished");
  await stage.screen.until("Enter or a number");

  stage.screen.type(CTRL_C);

  await stage.screen.until((text) => text.includes("the turn was cancelled"));
  await untilIdle(stage.screen);
});

test("a text that Ctrl-C cleared from the input field is restored by Up and by Ctrl-Y", async () => {
  await using stage = await openStage("dt");
  const { screen } = stage;

  screen.type(`half a prompt${CTRL_C}`);
  await screen.until(ASKS_TO_LEAVE);
  screen.type(UP);
  await screen.until("> half a prompt");
  screen.type(CTRL_C);
  await screen.until(ASKS_TO_LEAVE);
  screen.type(CTRL_Y);

  await screen.until("> half a prompt");
});

test.each(BOTH)("in %s, Shift-Tab changes to the next mode, even during a turn", async (kind) => {
  await using stage = await openStage(kind);
  const { screen } = stage;
  await screen.until("· mode default");

  screen.type(SHIFT_TAB);
  await screen.until("· mode auto-edit");
  await stage.send("wait 3600000 then say never");
  await screen.until("working");
  screen.type(SHIFT_TAB);
  await screen.until("· mode plan");
  screen.type(SHIFT_TAB);
  await screen.until("· mode yolo");
  expect(screen.text()).toContain("working");
  screen.type(SHIFT_TAB);

  await screen.until("· mode default");
  expect(screen.text()).toContain("working");
});

test("Shift-Tab pressed several times quickly sets only the last mode", async () => {
  await using stage = await openStage("dt");

  stage.screen.type(SHIFT_TAB.repeat(4));
  stage.screen.type(SHIFT_TAB.repeat(2));
  await stage.screen.until("the mode of your prompts is now plan");

  expect(stage.screen.history().match(/now \S+:/g)).toEqual(["now plan:"]);
});

test.each(BOTH)("in %s, a prompt right after Shift-Tab runs in the new mode", async (kind) => {
  await using stage = await openStage(kind);
  await stage.screen.until("· mode default");

  stage.screen.type(`${SHIFT_TAB}write a.txt: hi then say finished${ENTER}`);

  await stage.screen.until("● finished");
  expect(stage.screen.history()).not.toContain("Allow");
});

test("dt shows the mode in colour, but not if NO_COLOR is set", async () => {
  await using plain = await openStage("dt", { NO_COLOR: "1" });
  await using coloured = await openStage("dt");

  for (const { screen } of [plain, coloured]) {
    screen.type(SHIFT_TAB);
    await screen.until("· mode auto-edit");
  }

  expect(coloured.screen.raw()).toContain("\x1b[33mmode auto-edit");
  expect(plain.screen.raw()).toContain("offline · mode auto-edit");
});

test.each(BOTH)("in %s, /stats and /mode do not wait for the turn", async (kind) => {
  await using stage = await openStage(kind);
  const { screen } = stage;
  await stage.send("wait 3600000 then say never");
  await screen.until("working");

  screen.type(`/stats${ENTER}`);
  await screen.until("turns: ");
  screen.type(`/mode plan${ENTER}`);
  await screen.until("· mode plan");

  expect(screen.text()).toContain("working");
  expect(screen.text()).not.toContain("queued");
  screen.type(CTRL_C);
  await screen.until("the turn was cancelled");
});

test("a command during a turn is shown between the texts before and after it", async () => {
  await using model = await openManualModel();
  await using workspace = await openTempWorkspace();
  await using screen = openScreen({
    cwd: workspace.root,
    args: ["--model", "openai:led"],
    environment: { ...model.environment },
  });
  await untilIdle(screen);
  screen.type(`go${ENTER}`);
  await model.say("first half,");
  await screen.until("first half,");

  screen.type(`/model${ENTER}`);
  await screen.until("the model is openai:led");
  await model.say("second half");
  await model.end();
  await untilIdle(screen);

  const shown = screen.history();
  const positions = ["first half,", "> /model", "the model is", "second half"].map((part) =>
    shown.indexOf(part),
  );
  expect(positions).toEqual([...positions].sort((one, other) => one - other));
  expect(positions).not.toContain(-1);
});

test("a client's command completes during a turn and does not change the turn", async () => {
  await using stage = await openStage("dt attach");
  await stage.send("wait 3600000 then say never");
  await Promise.all([stage.host.until("working"), stage.screen.until("working")]);
  const [, url = ""] = /A2A (http:\S+)/.exec(stage.host.text()) ?? [];
  const client = await connect(url, { clientName: "phone" });

  const run = await client.run(["tools"]);
  const states: string[] = [];
  for await (const { state } of run.events()) states.push(state);

  expect(states.at(-1)).toBe("completed");
  expect(stage.host.text()).toContain("working");
  expect(stage.screen.text()).toContain("working");
  client.close();
});

/** Opens a port that accepts connections and never replies. */
async function openSilentPort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requested: once(server, "request"),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
