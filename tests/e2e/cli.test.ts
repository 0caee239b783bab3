import { execFile } from "node:child_process";
import path from "node:path";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { spawn as spawnTerminal } from "@lydell/node-pty";
import { expect, test } from "vitest";

const main = path.resolve(import.meta.dirname, "../../apps/cli/dist/main.js");

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

// No key, and a home of its own: what the person has set up must not matter here.
function environmentOf(home: string): Record<string, string> {
  return { PATH: process.env.PATH ?? "", HOME: home, TERM: "xterm-256color" };
}

/** Runs dt without a terminal. */
async function runDt(cwd: string, args: readonly string[], input = ""): Promise<Ended> {
  return await new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [main, ...args],
      { cwd, env: environmentOf(cwd) },
      (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
      },
    );
    child.stdin?.end(input);
  });
}

/** Runs dt in a real terminal and types when a text appears. */
async function typeInto(
  cwd: string,
  args: readonly string[],
  lines: readonly { readonly when: string; readonly type: string }[],
): Promise<{ readonly code: number; readonly screen: string }> {
  const terminal = spawnTerminal(process.execPath, [main, ...args], {
    cwd,
    cols: 100,
    rows: 30,
    env: environmentOf(cwd),
  });
  let screen = "";
  let next = 0;
  return await new Promise((resolve) => {
    terminal.onData((data) => {
      screen += data;
      const line = lines[next];
      if (line !== undefined && screen.includes(line.when)) {
        next += 1;
        terminal.write(line.type);
      }
    });
    terminal.onExit(({ exitCode }) => resolve({ code: exitCode, screen }));
  });
}

test("dt -p says the answer on stdout and exits with 0", async () => {
  await using workspace = await openTempWorkspace();

  expect(await runDt(workspace.root, ["-p", "say hello"])).toEqual({
    code: 0,
    stdout: "hello\n",
    stderr: "",
  });
});

test("dt asks on the terminal, shows the change, and writes what was allowed", async () => {
  await using workspace = await openTempWorkspace();

  const { code, screen } = await typeInto(
    workspace.root,
    ["-p", "write a.txt: hi then say done"],
    [{ when: "Reject) ", type: "1\r" }],
  );

  expect(screen).toContain("+hi");
  expect(screen).toContain("done");
  expect(code).toBe(0);
  expect(await workspace.read("a.txt")).toBe("hi");
});

test("dt does not write what was rejected on the terminal", async () => {
  await using workspace = await openTempWorkspace();

  const { code, screen } = await typeInto(
    workspace.root,
    ["-p", "write a.txt: hi then say done"],
    [
      { when: "Reject) ", type: "maybe\r" },
      { when: "maybe", type: "3\r" },
    ],
  );

  expect(screen).toContain("CANCELLED");
  expect(code).toBe(0);
  await expect(workspace.read("a.txt")).rejects.toThrow("ENOENT");
});

test("whoever leaves the question with Ctrl-C has refused, and dt says so in one line", async () => {
  await using workspace = await openTempWorkspace();

  const { code, screen } = await typeInto(
    workspace.root,
    ["-p", "write a.txt: hi"],
    [{ when: "Reject) ", type: "\u0003" }],
  );

  expect(screen).toContain("left unanswered");
  expect(screen).not.toContain("AbortError");
  expect(code).toBe(1);
  await expect(workspace.read("a.txt")).rejects.toThrow("ENOENT");
});

test("without a terminal dt refuses what it would ask about and says which flag allows it", async () => {
  await using workspace = await openTempWorkspace();

  const refused = await runDt(workspace.root, ["-p", "write a.txt: hi"]);
  const allowed = await runDt(workspace.root, ["--yolo", "-p", "write a.txt: hi"]);

  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("--yolo would allow it"),
  });
  expect(allowed.code).toBe(0);
  expect(await workspace.read("a.txt")).toBe("hi");
});

test("what is piped in is one prompt", async () => {
  await using workspace = await openTempWorkspace();

  expect(await runDt(workspace.root, [], "say one\nsay two\n")).toMatchObject({
    code: 0,
    stdout: "onetwo\n",
  });
});

test("a flag that does not exist is one line and exit code 2", async () => {
  await using workspace = await openTempWorkspace();

  const { code, stderr } = await runDt(workspace.root, ["--loud"]);

  expect(code).toBe(2);
  expect(stderr).toMatch(/^Unknown option '--loud'[^\n]*\n$/);
});

test("a slash command runs without a model, and an unknown one is one line and exit code 1", async () => {
  await using workspace = await openTempWorkspace();

  const known = await runDt(workspace.root, ["-p", "/mode"]);
  const unknown = await runDt(workspace.root, ["-p", "/nope"]);

  expect(known).toMatchObject({ code: 0, stdout: expect.stringContaining("the mode is default") });
  expect(unknown).toMatchObject({
    code: 1,
    stderr: "there is no command /nope; /help lists them\n",
  });
});
