import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { root } from "./repository.js";

test("a command that needs more waits for an install and then installs the rest [PKG-06]", async () => {
  await using clone = openClone();

  const start = clone.run("start");
  await clone.installing("programs");
  const build = clone.run("build");
  await build.says(/^another command is installing; waiting for its end\n$/);
  const early = clone.installs();
  clone.letPnpmEnd();

  expect([await start.status(), await build.status()]).toEqual([0, 0]);
  expect(early).toEqual(["begin programs"]);
  expect(clone.installs()).toEqual(["begin programs", "end programs", "begin all", "end all"]);
  expect(clone.read("node_modules/.dt-installed")).toMatch(/^all /);
  expect(existsSync(clone.lock)).toBe(false);
});

test("a command that needs less waits for an install and installs nothing [PKG-06]", async () => {
  await using clone = openClone();

  const build = clone.run("build");
  await clone.installing("all");
  const start = clone.run("start");
  await start.says(/waiting for its end/);
  clone.letPnpmEnd();

  expect([await build.status(), await start.status()]).toEqual([0, 0]);
  expect(clone.installs()).toEqual(["begin all", "end all"]);
});

test("a command that is killed while it installs does not block the next one", async () => {
  await using clone = openClone();
  const killed = clone.run("start");
  await clone.installing("programs");
  const waiting = clone.run("build");
  await waiting.says(/waiting for its end/);

  killed.kill();
  await clone.installing("all");
  clone.letPnpmEnd();

  expect(await waiting.status()).toBe(0);
  expect(existsSync(clone.lock)).toBe(false);
});

const NOW = new Date();
const HOUR_AGO = new Date(Date.now() - 3_600_000);
const IN_AN_HOUR = new Date(Date.now() + 3_600_000);
test.each<[string, () => string, Date]>([
  ["of a process that has ended", () => `${spawnSync(process.execPath, ["-e", ""]).pid} 1`, NOW],
  ["from long ago whose id another process has", () => `${process.pid} 1`, HOUR_AGO],
  ["from the time before the clock was set back", () => `${process.pid} 1`, IN_AN_HOUR],
  ["without an id", () => "", HOUR_AGO],
  ["with any text", () => "x", NOW],
])("a lock %s blocks no install", async (_what, text, at) => {
  await using clone = openClone();
  writeFileSync(clone.lock, text());
  utimesSync(clone.lock, at, at);
  clone.letPnpmEnd();

  const build = clone.run("build");

  expect(await build.status()).toBe(0);
  expect(build.stderr()).toBe("");
  expect(existsSync(clone.lock)).toBe(false);
});

/** A stand-in for pnpm. It notes its beginning and its end, and runs until a file exists. */
const PNPM = `#!/usr/bin/env node
const fs = require("node:fs");
const extent = process.argv.includes("--prod") ? "programs" : "all";
fs.appendFileSync("installs", "begin " + extent + "\\n");
const timer = setInterval(() => {
  if (!fs.existsSync("pnpm-may-end")) return;
  clearInterval(timer);
  fs.appendFileSync("installs", "end " + extent + "\\n");
}, 10);
`;

/** Creates a repository with the scripts of this one and with stand-ins for pnpm and turbo. */
function openClone() {
  const directory = mkdtempSync(path.join(tmpdir(), "dt-install-"));
  const at = (file: string) => path.join(directory, file);
  const write = (file: string, text: string) => {
    mkdirSync(path.dirname(at(file)), { recursive: true });
    writeFileSync(at(file), text, { mode: 0o755 });
  };
  for (const name of ["run", "commands", "install-lock"]) {
    cpSync(path.join(root, `tooling/${name}.cjs`), at(`tooling/${name}.cjs`));
  }
  for (const name of ["pnpm-lock.yaml", "pnpm-workspace.yaml", "apps/server/dist/main.js"]) {
    write(name, "");
  }
  write("package.json", '{ "packageManager": "pnpm@1.0.0" }');
  write("node_modules/pnpm/package.json", '{ "version": "1.0.0" }');
  for (const [name, script] of Object.entries({ pnpm: PNPM, turbo: "#!/usr/bin/env node\n" })) {
    write(`node_modules/.bin/${name}`, script);
    write(`node_modules/.bin/${name}.cmd`, `@node "%~dp0${name}" %*\r\n`);
  }
  const read = (file: string) => (existsSync(at(file)) ? readFileSync(at(file), "utf8") : "");
  const installs = () => read("installs").split("\n").filter(Boolean);
  const running: Promise<unknown>[] = [];
  const letPnpmEnd = () => write("pnpm-may-end", "");
  return {
    lock: at(".dt-install.lock"),
    read,
    installs,
    letPnpmEnd,
    /** Resolves when pnpm has begun to install. */
    installing: (extent: string) =>
      expect.poll(installs, { timeout: 30_000 }).toContain(`begin ${extent}`),
    /** Starts a command of the repository. */
    run(command: string) {
      const child = spawn(process.execPath, [at("tooling/run.cjs"), command], {
        stdio: ["ignore", "ignore", "pipe"],
      });
      // The pipe also stays open until pnpm ends, which may outlive its command.
      const closed = once(child, "close");
      running.push(closed);
      let text = "";
      child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      return {
        stderr: () => text,
        says: (part: RegExp) => expect.poll(() => text, { timeout: 30_000 }).toMatch(part),
        status: async () => (await closed)[0] as number | null,
        kill: () => child.kill("SIGKILL"),
      };
    },
    async [Symbol.asyncDispose]() {
      letPnpmEnd();
      await Promise.all(running);
      rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}
