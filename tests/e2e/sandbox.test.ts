import { execFile } from "node:child_process";
import path from "node:path";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { expect, test } from "vitest";

const appFile = (app: "cli" | "server") =>
  path.resolve(import.meta.dirname, `../../apps/${app}/dist/main.js`);

/** Runs a program with an empty `PATH`, so that it cannot find bubblewrap. */
async function runWithoutBwrap(app: "cli" | "server", args: readonly string[]) {
  await using home = await openTempWorkspace();
  await using workspace = await openTempWorkspace();
  const { root } = home;
  const env = { HOME: root, PATH: root, DT_MODEL: "offline", DT_SANDBOX: "bwrap" };
  return await new Promise((resolve) => {
    const options = { cwd: workspace.root, env };
    const child = execFile(
      process.execPath,
      [appFile(app), ...args],
      options,
      (error, stdout, stderr) => resolve({ code: error?.code, stdout, stderr }),
    );
    child.stdin?.end();
  });
}

const PROGRAMS = [
  ["dt", "cli", ["-p", "say hi"]],
  ["dt acp", "cli", ["acp"]],
  ["dt-server", "server", []],
] as const;

test.each(PROGRAMS)(
  "%s does not start if DT_SANDBOX is set and bubblewrap is not installed [SEC-04]",
  async (_, app, args) => {
    const ended = await runWithoutBwrap(app, args);

    const fix = "install the package bubblewrap, or set DT_SANDBOX=none";
    const stderr = `DT_SANDBOX: bwrap is not installed; ${fix}\n`;
    expect(ended).toEqual({ code: 2, stdout: "", stderr });
  },
);
