// Runs one Postgres server in a temporary directory, for the process that has started this script. Each line on stdin
// is a command: `start`, `stop` (as an operator stops it) or `crash`. Each command is answered with one line on
// stdout. When stdin ends, the server is stopped and its directory is deleted.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, mkdir, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { findBinaries } from "./find-binaries.mjs";

/** The user `nobody`, because Postgres refuses to run as root. */
const NOBODY = 65_534;

const { flags } = JSON.parse(process.argv[2] ?? '{"flags":[]}');
const isRoot = process.getuid?.() === 0;
const account = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
const root = await mkdtemp(path.join(tmpdir(), "dt-postgres-"));
const data = path.join(root, "data");
let server;

const commands = {
  start,
  stop: () => end("SIGINT"),
  crash: () => end("SIGQUIT"),
};

try {
  const binaries = await prepare();
  const port = await findFreePort();
  await start(binaries, port);
  process.stdout.write(`${port}\n`);
  for await (const command of createInterface({ input: process.stdin })) {
    await commands[command](binaries, port);
    process.stdout.write("done\n");
  }
} finally {
  await end("SIGQUIT");
  await rm(root, { recursive: true, force: true });
}

async function prepare() {
  await chmod(root, 0o755);
  const copyTo = isRoot ? path.join(root, "native") : undefined;
  const binaries = await findBinaries({ copyTo });
  await mkdir(data, { mode: 0o700 });
  if (isRoot) await chown(data, NOBODY, NOBODY);
  const create = [`--pgdata=${data}`, "--username=postgres", "--auth=trust", "--no-sync"];
  const options = { ...account, cwd: root, env: {} };
  await promisify(execFile)(
    binaries.initdb,
    [...create, "--encoding=UTF8", "--locale=C", "--no-instructions"],
    options,
  );
  return binaries;
}

async function start({ postgres }, port) {
  const settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=", ...flags];
  server = spawn(
    postgres,
    ["-D", data, "-p", String(port), ...settings.flatMap((setting) => ["-c", setting])],
    { ...account, cwd: root, env: {}, stdio: ["ignore", "ignore", "pipe"] },
  );
  let log = "";
  await new Promise((resolve, reject) => {
    server.stderr.on("data", (chunk) => {
      if (log.length > 100_000) return;
      log += chunk;
      if (log.includes("ready to accept connections")) resolve();
    });
    server.once("error", reject);
    server.once("exit", (code) => reject(new Error(`Postgres ended with ${code}: ${log}`)));
  });
}

async function end(signal) {
  if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
  const exited = once(server, "exit");
  server.kill(signal);
  await exited;
}

async function findFreePort() {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address();
  probe.close();
  await once(probe, "close");
  return port;
}
