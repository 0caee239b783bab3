import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { text } from "node:stream/consumers";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { expect, test } from "vitest";
import { createToken } from "../e2e/support/create-token.js";
import { startServerProcess } from "../e2e/support/server-process.js";
import { installPackages } from "./install-packages.js";
import { recordProof } from "./record-proof.js";

const dt = path.resolve(import.meta.dirname, "../../apps/cli/dist/main.js");

/** Opens acpx, a client of the Agent Client Protocol for a terminal, on the Node that it needs. */
async function openAcpx(agent: string, environment: Readonly<Record<string, string>> = {}) {
  const node = `node-${process.platform}-${process.arch}`;
  const directory = installPackages("dt-acpx", { acpx: "~0.19.1", [node]: "22" });
  const modules = path.join(directory, "node_modules");
  const workspace = await openTempWorkspace();
  const home = await openTempWorkspace();
  const command = `"${process.execPath}" "${dt}" acp ${agent}`;
  let runs = 0;

  /** Runs acpx with a command line. Returns its exit code and everything that it printed. */
  async function run(...args: readonly string[]) {
    runs += 1;
    const child = spawn(
      path.join(modules, node, "bin/node"),
      [path.join(modules, "acpx/dist/cli.js"), "--agent", command, "--ttl", "20", ...args],
      {
        cwd: workspace.root,
        env: { PATH: process.env.PATH ?? "", HOME: home.root, ...environment },
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    const [stdout, stderr, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "exit"),
    ]);
    return { code: Number(code), stdout, output: stdout + stderr };
  }

  return {
    workspace,
    run,
    runs: () => runs,
    async [Symbol.asyncDispose]() {
      await run("sessions", "close");
      await workspace[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

/** Drives dt by each command of acpx that sends a method of the protocol. Returns the number of runs. */
async function proveMethods({
  run,
  runs,
  workspace,
}: Omit<Awaited<ReturnType<typeof openAcpx>>, typeof Symbol.asyncDispose>): Promise<number> {
  const prompt = (words: string) => run("--approve-all", "prompt", words);

  expect((await run("--approve-all", "exec", "write a.txt: hi then say one")).stdout).toContain(
    "one",
  );
  expect(await workspace.read("a.txt")).toBe("hi");
  expect((await run("--deny-all", "exec", "write b.txt: hi then say two")).code).not.toBe(0);
  await expect(workspace.read("b.txt")).rejects.toThrow("ENOENT");
  expect((await run("sessions", "new")).code).toBe(0);
  expect((await prompt("read a.txt then run echo from-shell then say three")).stdout).toMatch(
    /from-shell[\s\S]*three/,
  );
  expect((await run("set-mode", "plan")).code).toBe(0);
  expect((await prompt("run touch planned then say four")).stdout).toMatch(
    /in plan mode only reading is allowed[\s\S]*four/,
  );
  await expect(workspace.read("planned")).rejects.toThrow("ENOENT");
  expect((await run("set", "mode", "default")).code).toBe(0);
  expect((await run("set", "model", "offline")).code).toBe(0);
  expect((await run("status")).stdout).toMatch(/model: offline[\s\S]*mode: default/);
  expect((await prompt("/stats")).stdout).toContain("turns: ");
  const long = prompt("wait 60000 then say never");
  while (!(await run("cancel")).stdout.includes("cancel requested"));
  expect((await long).stdout).toContain("cancelled");
  expect((await prompt("say five")).stdout).toContain("five");
  expect((await run("sessions", "list")).stdout).toContain("write a.txt: hi then say one");
  expect((await run("sessions", "history")).stdout).toContain("three");
  expect((await run("sessions", "close")).code).toBe(0);
  return runs();
}

test("acpx drives dt acp through every method that it has [ACP-01]", async () => {
  await recordProof("commands of acpx onto dt acp", 17, async () => {
    await using acpx = await openAcpx("--model offline");

    return `held: ${await proveMethods(acpx)} runs; questions, modes, models, cancel and history`;
  });
});

test("acpx drives the sessions of a dt-server through dt acp --attach [ACP-02]", async () => {
  await recordProof("commands of acpx onto dt acp --attach", 17, async () => {
    await using data = await openTempWorkspace();
    await using server = await startServerProcess(
      { DT_DATA_DIR: data.root, CODER_AGENT_PORT: "0", DT_AUTH: "required" },
      data.root,
    );
    const environment = { DT_TOKEN: await createToken(data.root) };
    await using acpx = await openAcpx(`--attach ${server.url}`, environment);

    return `held: ${await proveMethods({ ...acpx, workspace: data })} runs`;
  });
});
