import { spawnSync } from "node:child_process";
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { root } from "./repository.js";

test("a fresh clone passes its tests with only Node and npm, and again without a registry [PKG-06]", () => {
  using clone = openClone();

  const first = clone.npm(["test"], {});
  const second = clone.npm(["test"], OFFLINE);

  expect(first.status, first.output).toBe(0);
  expect(second.status, second.output).toBe(0);
});

test("a fresh clone starts dt without test tools, and again without a registry [PKG-06]", () => {
  using clone = openClone();
  const version = ["run", "dt", "--", "--version"];

  const first = clone.npm(version, {});
  const tools = clone.installed().filter((name) => /chromium|biome|buf-|vitest|dprint/.test(name));
  const second = clone.npm(version, OFFLINE);
  const tested = clone.npm(["test"], {});
  const third = clone.npm(version, OFFLINE);

  expect(first.status, first.output).toBe(0);
  expect(tools).toEqual([]);
  expect(second.output).toBe("0.1.0\n");
  expect(tested.status, tested.output).toBe(0);
  expect(third.output).toBe("0.1.0\n");
});

const OFFLINE = { npm_config_registry: "http://127.0.0.1:9", npm_config_offline: "true" };

interface Clone extends Disposable {
  npm(
    args: readonly string[],
    environment: Record<string, string>,
  ): { status: number | null; output: string };
  /** Lists the packages in the pnpm store of the clone. */
  installed(): readonly string[];
}

/** Clones the committed state, with an empty home directory and no pnpm on PATH. */
function openClone(): Clone {
  const scratch = mkdtempSync(path.join(tmpdir(), "dt-clone-"));
  const directory = path.join(scratch, "repository");
  let homes = 0;
  spawnSync("git", ["clone", "--quiet", root, directory], { stdio: "inherit" });
  return {
    installed: () => readdirSync(path.join(directory, "node_modules", ".pnpm")),
    npm(args, environment) {
      const home = path.join(scratch, `home-${homes++}`);
      mkdirSync(home);
      // The output goes to a file, so that a run of many minutes can be followed.
      const log = `${home}.log`;
      const file = openSync(log, "w");
      const { status } = spawnSync("npm", args, {
        cwd: directory,
        stdio: ["ignore", file, file],
        env: { ...networkSettings(), PATH: plainPath(), HOME: home, ...environment },
      });
      closeSync(file);
      return { status, output: readFileSync(log, "utf8") };
    },
    [Symbol.dispose]: () => rmSync(scratch, { recursive: true, force: true }),
  };
}

function plainPath(): string {
  return [path.dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(
    path.delimiter,
  );
}

// Returns the variables that npm needs to reach a registry. No other variable is passed to npm.
function networkSettings(): NodeJS.ProcessEnv {
  const names = ["NODE_EXTRA_CA_CERTS", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"];
  return Object.fromEntries(names.map((name) => [name, process.env[name]]));
}
