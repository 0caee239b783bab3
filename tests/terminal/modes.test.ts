import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { connect } from "@dt/client";
import { expect, test } from "vitest";
import { openScreen, type Screen } from "./support/open-screen.js";

const ENTER = "\r";
const untilIdle = (screen: Screen) =>
  screen.until((text) => text.includes("Ask anything") && !/working|Allow/.test(text));

/** Starts dt with an endpoint in an untrusted workspace. */
async function openLive(args: readonly string[] = []) {
  const workspace = await openTempWorkspace();
  await mkdir(path.join(workspace.root, ".dt"));
  await writeFile(path.join(workspace.root, ".dt", "config.yaml"), "mode: plan\n");
  const columns = 140;
  const screen = openScreen({ cwd: workspace.root, args: ["--a2a-port", "0", ...args], columns });
  const [, url = ""] = /A2A (http:\S+)/.exec(await screen.until(/A2A http:\S+/)) ?? [];
  return {
    screen,
    url,
    attach: () => openScreen({ cwd: workspace.root, args: ["attach", url], columns }),
    async [Symbol.asyncDispose]() {
      await screen[Symbol.asyncDispose]();
      await workspace[Symbol.asyncDispose]();
    },
  };
}

test("the status bar shows a connected client whose mode is freer than the terminal's [SEC-10]", async () => {
  await using live = await openLive();
  const client = await connect(live.url, { clientName: "phone" });

  const run = await client.run(["mode"], "yolo");
  for await (const _ of run.task?.events() ?? []);
  await live.screen.until('mode default · client "phone": yolo');
  client.close();
  await live.screen.until((text) => !text.includes('client "phone"'));

  expect(live.screen.text()).toContain("mode default");
});

test("the status bar shows no client whose mode is stricter than the terminal's", async () => {
  await using live = await openLive();
  const client = await connect(live.url, { clientName: "phone" });
  const run = await client.run(["mode"], "plan");
  for await (const _ of run.task?.events() ?? []);

  await untilIdle(live.screen);
  live.screen.type(`/mode yolo${ENTER}`);
  const text = await live.screen.until("· mode yolo ·");

  expect(text).not.toContain('client "');
  client.close();
});

test("the status bar shows that clients stay in yolo when the terminal changes its mode [SEC-10]", async () => {
  await using live = await openLive(["--yolo"]);
  await untilIdle(live.screen);

  live.screen.type(`/mode default${ENTER}`);

  await live.screen.until("· mode default · clients: yolo ·");
});

test("/permissions in the terminal lists the remembered answers of the terminal", async () => {
  await using live = await openLive();
  await untilIdle(live.screen);
  live.screen.type(`write a.txt: hi then say finished${ENTER}`);
  await live.screen.until("Enter or a number");
  live.screen.type("2");
  await live.screen.until("● finished");

  live.screen.type(`/permissions${ENTER}`);

  await live.screen.until(/1\. edits inside the workspace \(given by terminal/);
});

test("/trust works at the host's terminal and is refused in dt attach [SEC-08]", async () => {
  await using live = await openLive();
  await live.screen.until(/config\.yaml: is ignored/);
  await using attached = live.attach();
  await untilIdle(attached);

  attached.type(`/trust${ENTER}`);
  await attached.until("only the person at the host's own terminal");
  await untilIdle(live.screen);
  live.screen.type(`/trust${ENTER}`);
  await live.screen.until("is trusted; restart dt to use its settings");

  expect(attached.text()).toContain("mode default");
});
