import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { root } from "./repository.js";

test("a fresh clone passes with Node and npm alone, and again without a registry [PKG-06]", () => {
  using clone = openClone();

  const first = clone.npmTest({});
  const second = clone.npmTest({
    npm_config_registry: "http://127.0.0.1:9",
    npm_config_offline: "true",
  });

  expect(first.status, first.output).toBe(0);
  expect(second.status, second.output).toBe(0);
});

interface Clone extends Disposable {
  npmTest(environment: Record<string, string>): { status: number | null; output: string };
}

/** What is committed, in a directory and with a home of its own; no pnpm on PATH. */
function openClone(): Clone {
  const scratch = mkdtempSync(path.join(tmpdir(), "dt-clone-"));
  const directory = path.join(scratch, "repository");
  let homes = 0;
  spawnSync("git", ["clone", "--quiet", root, directory], { stdio: "inherit" });
  return {
    npmTest(environment) {
      const home = path.join(scratch, `home-${homes++}`);
      mkdirSync(home);
      const { status, stdout, stderr } = spawnSync("npm", ["test"], {
        cwd: directory,
        encoding: "utf8",
        maxBuffer: 64 * 1024 * 1024,
        env: { ...networkSettings(), PATH: plainPath(), HOME: home, ...environment },
      });
      return { status, output: stdout + stderr };
    },
    [Symbol.dispose]: () => rmSync(scratch, { recursive: true, force: true }),
  };
}

function plainPath(): string {
  return [path.dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(
    path.delimiter,
  );
}

// How this machine reaches a registry at all; nothing else of its environment counts.
function networkSettings(): NodeJS.ProcessEnv {
  const names = ["NODE_EXTRA_CA_CERTS", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"];
  return Object.fromEntries(names.map((name) => [name, process.env[name]]));
}
