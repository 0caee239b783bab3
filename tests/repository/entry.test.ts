import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { finished } from "node:stream/promises";
import { expect, test } from "vitest";
import { importsOf, packageNameOf } from "./imports.js";
import { packagesUnder, readManifest, readText, root, sourcesOf } from "./repository.js";

const runScript = path.join(root, "tooling/run.cjs");

test("the entry script exits with 2 and one error line if the command is unknown", () => {
  const result = node(runScript, "grepp");

  expect(result).toEqual({
    status: 2,
    stdout: "",
    stderr:
      "there is no command called grepp; try build, start, dt, collect, generate, docs, check, test, prove, metrics, mutants, bench, interop\n",
  });
});

test("the entry script exits with 2 and one error line if there is no command", () => {
  const result = node(runScript);

  expect(result).toEqual({
    status: 2,
    stdout: "",
    stderr:
      "name a command; try build, start, dt, collect, generate, docs, check, test, prove, metrics, mutants, bench, interop\n",
  });
});

test.each(["18.20.8", "20.18.3", "0.10.48"])(
  "the entry script refuses Node %s with the required version",
  (version) => {
    const result = runWithVersion(version, "test");

    expect(result).toEqual({
      status: 2,
      stdout: "",
      stderr: `dt needs Node 20.19 or newer; this is Node ${version}.\n`,
    });
  },
);

test.each(["20.19.0", "22.0.0", "24.1.0"])("the entry script accepts Node %s", (version) => {
  const result = runWithVersion(version, "grepp");

  expect(result.stderr).toContain("there is no command called grepp");
});

test("the repository and every library require the same Node version", () => {
  const folders = [
    ".",
    "packages/schema",
    "packages/agent-core",
    "packages/server",
    "packages/client",
    "packages/acp",
  ];

  for (const folder of folders) {
    expect(readManifest(folder), folder).toMatchObject({ engines: { node: ">=20.19" } });
  }
});

test("the entry script uses only syntax that any Node version parses", () => {
  expect(readText("tooling/run.cjs")).not.toMatch(/\b(?:const|let)\b|=>|`|\?\./);
});

test("every root script that needs an installed repository runs tooling/run.cjs", () => {
  const { scripts = {} } = readManifest(".");

  for (const name of [
    "start",
    "test",
    "build",
    "dt",
    "prove",
    "metrics",
    "mutants",
    "bench",
    "interop",
    "generate",
    "docs",
    "check",
  ]) {
    expect(scripts[name]).toBe(`node tooling/run.cjs ${name}`);
  }
});

test("CI runs npm test and nothing else", () => {
  const lines = readText(".ci/run").trim().split("\n");

  expect(lines).toEqual([
    "#!/usr/bin/env bash",
    "set -euo pipefail",
    'cd "$(dirname "$0")/.."',
    "npm test",
  ]);
});

test("npm run dt prints only the stdout of dt, without npm's banner", () => {
  const { status, stdout } = spawnSync("npm", ["run", "dt", "--", "--version"], {
    cwd: root,
    encoding: "utf8",
    env: withoutNpm(),
  });

  // stderr is not checked, because an outdated clone installs or builds first and reports it there.
  expect({ status, stdout }).toEqual({ status: 0, stdout: "0.1.0\n" });
});

test("npm start installs everything that the build needs and no test tools", () => {
  const { dependencies = {} } = readManifest(".");
  const heavy = ["@biomejs/biome", "@bufbuild/buf", "@sparticuz/chromium", "ts-proto", "vitest"];

  expect(Object.keys(dependencies).filter((name) => heavy.includes(name))).toEqual([]);
  expect(Object.keys(readManifest("tooling").dependencies ?? {})).toEqual(["tsup"]);
  for (const { folder, manifest } of ["packages", "apps"].flatMap(packagesUnder)) {
    const { dependencies: own = {}, devDependencies = {} } = manifest;
    const built = sourceImports(folder).filter((name) => !(name in own) && name in devDependencies);
    const missing = [...new Set(built)].filter((name) => !(name in dependencies));
    expect(missing, folder).toEqual([]);
  }
});

test("SIGTERM to npm start leaves no server running", async () => {
  const data = mkdtempSync(path.join(tmpdir(), "dt-start-"));
  const npm = spawn("npm", ["start"], {
    cwd: root,
    env: { ...process.env, HOME: data, DT_DATA_DIR: data, CODER_AGENT_PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface({ input: npm.stdout });
  let url = "";
  for await (const line of lines) {
    [, url = ""] = /listens on (\S+)/.exec(line) ?? [];
    if (url !== "") break;
  }
  expect((await fetch(`${url}health`)).status).toBe(200);

  npm.kill("SIGTERM");
  // The pipe ends only when all processes that npm started have exited.
  await finished(npm.stdout.resume());

  await expect(fetch(`${url}health`)).rejects.toThrow("fetch failed");
  rmSync(data, { recursive: true, force: true });
});

/** Returns the environment without npm's variables, such as the log level of the outer npm. */
function withoutNpm(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name));
  return Object.fromEntries(own);
}

/** Lists the packages that the sources of a folder import. */
function sourceImports(folder: string): readonly string[] {
  const pkg = packagesUnder(path.dirname(folder)).filter((each) => each.folder === folder);
  const built = pkg.flatMap(sourcesOf).filter((file) => !file.includes("/testing/arbitrary/"));
  const imports = importsOf(built);
  return imports.map(({ specifier }) => packageNameOf(specifier));
}

function node(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  return { status, stdout, stderr };
}

/** Runs the entry script with another value of `process.versions.node`. */
function runWithVersion(version: string, command: string) {
  const pretend = `
    Object.defineProperty(process, "versions", {
      value: Object.assign({}, process.versions, { node: ${JSON.stringify(version)} }),
    });
    process.argv = [process.execPath, ${JSON.stringify(runScript)}, ${JSON.stringify(command)}];
    require(${JSON.stringify(runScript)});
  `;
  return node("-e", pretend);
}
