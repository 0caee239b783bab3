import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { expect, test } from "vitest";
import { isShown, paste, readmeCommand } from "./support/readme-commands.js";
import { startServerProcess } from "./support/server-process.js";

const root = path.resolve(import.meta.dirname, "../..");

test("the curl commands of the README write a file and print the shown output", async () => {
  await using workspace = await openTempWorkspace();
  await using home = await openTempWorkspace();
  await using server = await startServerProcess({
    DT_DATA_DIR: home.root,
    DT_WORKSPACE_ROOTS: workspace.root,
    CODER_AGENT_PORT: "0",
  });
  const run = async (name: string) => {
    const { script, shown } = readmeCommand(name);
    const here = script.replaceAll("http://127.0.0.1:41242/", server.url);
    return { shown, lines: await paste(here, { cwd: workspace.root, home: home.root }) };
  };

  const asked = await run("ask");
  const answered = await run("answer");

  for (const { lines, shown } of [asked, answered]) {
    const unlike = lines.filter((line, index) => !isShown(line, shown[index] ?? ""));
    expect(unlike).toEqual([]);
    expect(lines).toHaveLength(shown.length);
  }
  expect(await workspace.read("hello.txt")).toBe("hello");
});

test("the dt -p command of the README prints the shown output", async () => {
  await using home = await openTempWorkspace();
  const { script, shown } = readmeCommand("prompt");

  // The test runs the program directly. entry.test.ts checks that `npm run dt` starts it.
  const program = `"${process.execPath}" "${path.join(root, "apps/cli/dist/main.js")}"`;
  const direct = script.replace("npm run dt --", program);
  const lines = await paste(direct, { cwd: home.root, home: home.root });

  expect(lines).toEqual(shown);
});

test("dt-server prints the lines that the README shows", async () => {
  const readme = await readFile(path.join(root, "README.md"), "utf8");
  const [, shown = ""] = /```text\n(dt-server listens[\s\S]*?)\n```/.exec(readme) ?? [];
  await using home = await openTempWorkspace();
  const server = spawn(process.execPath, [path.join(root, "apps/server/dist/main.js")], {
    env: { HOME: home.root, DT_DATA_DIR: home.root, CODER_AGENT_PORT: "0" },
    cwd: home.root,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines: string[] = [];
  for await (const line of createInterface({ input: server.stdout })) {
    if (lines.push(line.replace(/127\.0\.0\.1:\d+/, "127.0.0.1:41242")) === 2) break;
  }
  server.kill();
  await once(server, "exit");

  expect(lines).toEqual(shown.split("\n"));
});
