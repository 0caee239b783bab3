"use strict";
const { spawn, spawnSync } = require("node:child_process");
const { createHash } = require("node:crypto");
const fs = require("node:fs");
const path = require("node:path");
const { withInstallLock } = require("./install-lock.cjs");

const root = path.resolve(__dirname, "..");
const bin = (name) =>
  path.join(root, "node_modules", ".bin", process.platform === "win32" ? `${name}.cmd` : name);

const PARENT_CHECK_MS = 250;
const parentId = process.ppid;

// turbo and its scripts look for pnpm on PATH, so PATH includes the folder of the installed pnpm.
const env = {
  ...process.env,
  PATH: `${path.join(root, "node_modules", ".bin")}${path.delimiter}${process.env.PATH}`,
  TURBO_TELEMETRY_DISABLED: "1",
  TURBO_NO_UPDATE_NOTIFIER: "1",
  DO_NOT_TRACK: "1",
  // .npmrc silences npm to hide its banner, but errors while fetching pnpm must be shown.
  npm_config_loglevel: "notice",
};

// Turbo filters for the two apps and their dependencies.
const PROGRAMS = ["@dt/server-app...", "@dt/cli..."];
const filters = PROGRAMS.map((program) => `--filter=${program}`);

const stepOptions = {
  cwd: root,
  env,
  maxBuffer: 64 * 1024 * 1024,
  shell: process.platform === "win32",
};

// Output of earlier steps goes to stderr, because stdout belongs to the program.
const toStderr = ["inherit", process.stderr, "inherit"];

const commands = {
  build: () => build(),
  start: (args) =>
    buildPrograms() ||
    runUntilExit(process.execPath, [path.join(root, "apps", "server", "dist", "main.js"), ...args]),
  dt: (args) =>
    buildPrograms() ||
    runUntilExit(process.execPath, [path.join(root, "apps", "cli", "dist", "main.js"), ...args]),
  collect: (args) =>
    buildPrograms() ||
    step(process.execPath, [path.join("tooling", "scripts", "collect-program.mjs"), ...args]),
  generate: () =>
    install("all") || step(process.execPath, [path.join("tooling", "scripts", "generate.mjs")]),
  docs: (args) => build() || writeDocuments(args),
  check: () => check(),
  test: (args) => check() || step(bin("vitest"), ["run", ...args]),
  prove: (args) =>
    build() || step(bin("vitest"), ["run", "--config", "vitest.prove.config.ts", ...args]),
  metrics: (args) =>
    build() || step(process.execPath, [path.join("tooling", "metrics", "main.mjs"), ...args]),
  mutants: (args) =>
    build() || step(process.execPath, [path.join("tooling", "mutants", "main.mjs"), ...args]),
  bench: (args) =>
    build() || step(process.execPath, [path.join("bench", "src", "main.mjs"), ...args]),
  interop: (args) =>
    build() || step(process.execPath, [path.join("tooling", "interop", "main.mjs"), ...args]),
};

/** Runs one of the commands above and exits with its status. */
exports.run = function run(name, args) {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    const fault = name === undefined ? "name a command" : `there is no command called ${name}`;
    process.stderr.write(`${fault}; try ${Object.keys(commands).join(", ")}\n`);
    process.exit(2);
  }
  const status = command(args);
  if (typeof status === "number") process.exit(status);
};

function build() {
  return install("all") || buildQuietly([]);
}

/** Runs every check besides the tests. */
function check() {
  return (
    install("all") || turbo(["build", "typecheck", "lint", "check-generated", "check-package"])
  );
}

/** Installs and builds only what the apps need, without test tools. */
function buildPrograms() {
  return install("programs") || buildQuietly(filters);
}

/** Builds quietly; shows turbo's output if the build fails. */
function buildQuietly(only) {
  const built = path.join(root, "apps", "server", "dist", "main.js");
  if (!fs.existsSync(built)) process.stderr.write("building; the first time takes a minute\n");
  const result = spawnSync(bin("turbo"), turboArgs(["build", ...only]), {
    ...stepOptions,
    encoding: "utf8",
  });
  const status = result.status ?? 1;
  if (status !== 0) process.stderr.write(`${result.error ?? ""}${result.stdout}${result.stderr}`);
  return status;
}

/**
 * Installs the set "programs" or "all", unless the last install contained that set and used the same lockfile.
 * "programs" leaves out the root's devDependencies, which only tests and checks need. After an install of
 * "all", every later install is of "all" too, so that tests can still run. Two commands that start together install
 * one after the other, because pnpm would remove packages that the other one adds.
 */
function install(wanted) {
  const stampFile = path.join(root, "node_modules", ".dt-installed");
  const stamp = createHash("sha256")
    .update(fs.readFileSync(path.join(root, "pnpm-lock.yaml")))
    .update(fs.readFileSync(path.join(root, "pnpm-workspace.yaml")))
    .update(`${process.platform} ${process.arch} ${process.versions.modules}`)
    .digest("hex");
  const isInstalled = () => {
    const [extent, installed] = readStamp(stampFile);
    return installed === stamp && (extent === "all" || wanted === "programs");
  };
  if (isInstalled()) return 0;
  return withInstallLock(path.join(root, ".dt-install.lock"), () => {
    // The command that this one has waited for may have installed enough.
    if (isInstalled()) return 0;
    const [extent] = readStamp(stampFile);
    const next = extent === "all" ? "all" : wanted;
    const part = next === "all" ? [] : ["--prod", "--filter=dt", ...filters];
    const [program, ...args] = pnpm();
    const status = step(program, [...args, "install", "--frozen-lockfile", ...part], toStderr);
    if (status === 0) fs.writeFileSync(stampFile, `${next} ${stamp}`);
    return status;
  });
}

/** Reads the kind of the last install and the hash of its lockfile. */
function readStamp(file) {
  return fs.existsSync(file) ? fs.readFileSync(file, "utf8").split(" ") : [];
}

/** Finds the pinned pnpm: the installed one, which needs no network, or one fetched by npx. */
function pnpm() {
  const pinned = readJson("package.json").packageManager;
  const installed = path.join("node_modules", "pnpm", "package.json");
  const isInstalled =
    fs.existsSync(path.join(root, installed)) && `pnpm@${readJson(installed).version}` === pinned;
  if (isInstalled) return [bin("pnpm")];
  return [process.platform === "win32" ? "npx.cmd" : "npx", "-y", pinned];
}

function readJson(file) {
  return JSON.parse(fs.readFileSync(path.join(root, file), "utf8"));
}

/** Runs each script of `tooling/scripts/docs`, in the order of their names, until one fails. */
function writeDocuments(args) {
  const folder = path.join("tooling", "scripts", "docs");
  const scripts = fs.readdirSync(path.join(root, folder)).filter((name) => name.endsWith(".mjs"));
  for (const name of scripts.sort()) {
    const status = step(process.execPath, [path.join(folder, name), ...args]);
    if (status !== 0) return status;
  }
  return 0;
}

function turbo(tasks) {
  return step(bin("turbo"), turboArgs(tasks));
}

function turboArgs(tasks) {
  return ["run", ...tasks, "--output-logs=errors-only", "--log-order=grouped"];
}

/** Runs a program to its end and returns its exit status. */
function step(program, args, stdio = "inherit") {
  const result = spawnSync(program, args, { ...stepOptions, stdio });
  if (result.error) process.stderr.write(`${program}: ${result.error.message}\n`);
  return result.status ?? 1;
}

/** Runs a long-running program and forwards signals to it. */
function runUntilExit(program, args) {
  // npm was terminated during the build. 143 is the exit status after SIGTERM.
  if (hasLostNpm()) return 143;
  const child = spawn(program, args, {
    cwd: process.env.INIT_CWD ?? root,
    env: process.env,
    stdio: "inherit",
  });
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  // The terminal sends Ctrl-C to this process too. Only the program should handle it.
  process.on("SIGINT", () => {});
  const watch = setInterval(() => {
    if (!hasLostNpm()) return;
    clearInterval(watch);
    child.kill("SIGTERM");
  }, PARENT_CHECK_MS);
  child.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGINT" ? 130 : 1)));
}

/**
 * True if npm was terminated. npm sends SIGTERM to the shell that runs this script, and some shells exit
 * without forwarding it. The script then notices only that its parent process has changed.
 */
function hasLostNpm() {
  return process.env.npm_lifecycle_event !== undefined && process.ppid !== parentId;
}
