import { execFile } from "node:child_process";
import { mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { expect, test } from "vitest";
import { openDataDir } from "./support/data-dir.js";
import { post } from "./support/raw-rpc.js";
import { startServerProcess } from "./support/server-process.js";

const apps = path.resolve(import.meta.dirname, "../../apps");

/**
 * Creates a home directory, and a workspace with settings and a slash command. `run` starts dt or dt-server
 * in the workspace.
 */
async function openSetup() {
  const [workspace, home] = await Promise.all([openTempWorkspace(), openDataDir()]);
  await mkdir(path.join(workspace.root, ".dt", "commands"), { recursive: true });
  await writeFile(path.join(workspace.root, ".dt", "config.yaml"), "mode: yolo\n");
  await writeFile(path.join(workspace.root, ".dt", "commands", "greet.md"), "say hello\n");
  const environment = {
    PATH: process.env.PATH ?? "",
    HOME: home.directory,
    DT_MODEL: "offline",
    DT_DATA_DIR: home.directory,
    DT_WORKSPACE_ROOTS: workspace.root,
    CODER_AGENT_PORT: "0",
  };
  return {
    workspace,
    home: home.directory,
    environment,
    run: (app: "cli" | "server", ...args: readonly string[]) =>
      new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
        const main = path.join(apps, app, "dist", "main.js");
        const options = { cwd: workspace.root, env: environment };
        const child = execFile(
          process.execPath,
          [main, ...args],
          options,
          (error, stdout, stderr) => {
            resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
          },
        );
        child.stdin?.end();
      }),
    async [Symbol.asyncDispose]() {
      await workspace[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

test("dt ignores the configuration of an untrusted workspace and prints how to trust it [SEC-08]", async () => {
  await using setup = await openSetup();

  const written = await setup.run("cli", "-p", "write a.txt: hi");
  const greeted = await setup.run("cli", "-p", "/greet");

  expect(written.code).toBe(1);
  expect(written.stderr).toMatch(/config\.yaml: is ignored.*; to trust it, run dt --trust in it/);
  expect(written.stderr).toMatch(/commands: is ignored/);
  expect(greeted).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("there is no command /greet"),
  });
});

test("after dt --trust, the workspace's configuration is used until the trust is revoked [SEC-08]", async () => {
  await using setup = await openSetup();

  const trusted = await setup.run("cli", "--trust", "-p", "write a.txt: hi");
  const later = await setup.run("cli", "-p", "/greet");
  const revoked = await setup.run("cli", "-p", "/trust revoke");
  const after = await setup.run("cli", "-p", "write b.txt: hi");

  expect(trusted).toMatchObject({ code: 0, stderr: expect.not.stringContaining("is ignored") });
  expect(await setup.workspace.read("a.txt")).toBe("hi");
  expect(later).toMatchObject({ code: 0, stdout: expect.stringContaining("hello") });
  expect(revoked.stdout).toContain("is no longer trusted; restart dt");
  expect(after.code).toBe(1);
  const file = path.join(setup.home, ".config", "dt", "trusted.json");
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(JSON.parse(await readFile(file, "utf8"))).toEqual({ trusted: [] });
});

test("the trust subcommands of dt-server resolve symbolic links and relative paths [SEC-08]", async () => {
  await using setup = await openSetup();
  const { root } = setup.workspace;
  const link = path.join(setup.home, "link");
  await symlink(root, link);

  const empty = await setup.run("server", "trust", "list");
  const trusted = await setup.run("server", "trust", link);
  const listed = await setup.run("server", "trust", "list");
  const revoked = await setup.run("server", "trust", "revoke", ".");

  expect(empty.stdout).toBe("no workspace is trusted\n");
  expect(trusted.stdout).toContain("is trusted; new sessions use");
  expect(listed.stdout).toBe(`${root}\n`);
  expect(revoked.stdout).toContain("is no longer trusted");
  expect((await setup.run("server", "trust", "list")).stdout).toBe("no workspace is trusted\n");
});

test.for([
  [["trust"], "dt-server trust needs a directory; try dt-server --help"],
  [["trust", "revoke"], "dt-server trust revoke needs a directory; try dt-server --help"],
  [["trust", "nowhere"], "there is no directory "],
  [["trust", "revoke", "nowhere"], "nowhere is not trusted"],
  [["trust", ".", "x"], "unexpected argument x; try dt-server --help"],
  [["believe"], "believe is not a command; try dt-server --help"],
] as const)(
  "dt-server refuses the arguments %j with a reason and exit code 2 [SEC-08]",
  async ([args, sentence]) => {
    await using setup = await openSetup();

    const { code, stderr } = await setup.run("server", ...args);

    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(sentence) });
  },
);

test("trust applies to new sessions of a running dt-server, and clients cannot grant it [SEC-08]", async () => {
  await using setup = await openSetup();
  await using server = await startServerProcess(setup.environment, setup.workspace.root);
  // biome-ignore lint/suspicious/noExplicitAny: tests look into foreign JSON.
  const execute = async (command: string): Promise<any> => {
    const params = { command_path: [command] };
    const response = await post(server.url, "command/execute", params);
    return ((await response.json()) as { result: unknown }).result;
  };

  const refused = await execute("trust");
  const before = await execute("greet");
  await server.log("dt-server trust");
  await setup.run("server", "trust", setup.workspace.root);
  const trusted = await execute("greet");
  await setup.run("server", "trust", "revoke", setup.workspace.root);
  const revoked = await execute("greet");

  expect(refused).toMatchObject({
    status: "FAILED_TO_START",
    message: expect.stringContaining("only the person at the host's own terminal"),
  });
  expect([before, trusted, revoked].map(({ status }) => status)).toEqual([
    "FAILED_TO_START",
    "STARTED",
    "FAILED_TO_START",
  ]);
});
