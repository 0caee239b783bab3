import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer } from "node:net";
import path from "node:path";
import { promisify } from "node:util";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { expect, test } from "vitest";
import { openScreen } from "./support/open-screen.js";

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  return await once(socket, "connect")
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy());
}

/** Timeout for dt to open or close its endpoint. */
const TIMEOUT_MS = 100_000;

async function untilListening(port: number, wanted = true): Promise<void> {
  const began = performance.now();
  while ((await isListening(port)) !== wanted) {
    if (performance.now() - began < TIMEOUT_MS) continue;
    throw new Error(`the port ${port} is ${wanted ? "still closed" : "still open"}`);
  }
}

test.each([
  ["SIGTERM", 143],
  ["SIGHUP", 129],
  ["SIGINT", 130],
])("%s ends dt cleanly before its screen is open", async (name, exitCode) => {
  await using workspace = await openTempWorkspace();
  const data = path.join(workspace.root, "data");
  await mkdir(data);
  // The file of earlier prompts is a named pipe without a writer, so dt blocks before it opens its screen.
  const prompts = path.join(data, "prompts.jsonl");
  await promisify(execFile)("mkfifo", [prompts]);
  const port = await findFreePort();
  const environment = { DT_DATA_DIR: data };
  const args = ["--a2a-port", String(port)];
  await using screen = openScreen({ cwd: workspace.root, args, environment });
  await untilListening(port);

  screen.signal(name);
  await untilListening(port, false);
  await writeFile(prompts, "");

  expect(await screen.exited).toBe(exitCode);
  expect(screen.history()).not.toContain("Ask anything");
  await using listed = openScreen({ cwd: workspace.root, args: ["--list-sessions"], environment });
  await listed.exited;
  expect(listed.text()).toBe("no sessions yet");
});
