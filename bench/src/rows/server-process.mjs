import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { scoped } from "../child.mjs";
import { mb, median, ms } from "../figures.mjs";

const require = createRequire(import.meta.url);
const main = path.join(
  path.dirname(require.resolve("@dt/server-app/package.json")),
  "dist/main.js",
);

/** From the start of the process to the first agent card. */
export const coldStartRow = {
  name: "cold start to first agent card",
  budget: "≤ 500 ms (peer: 4.2 s)",
  limit: 500,
  async run() {
    const took = [];
    for (let round = 0; round < 7; round += 1) {
      took.push(await scoped(async (own) => own(await startServer()).startMs));
    }
    const value = median(took);
    return { measured: ms(value), value };
  },
};

/** The resident memory of a server that was asked for its card and does nothing. */
export const idleMemoryRow = {
  name: "memory when idle",
  budget: "≤ 90 MB (peer: 534 MB)",
  limit: 90 * 1024 * 1024,
  async run(own) {
    const server = own(await startServer());
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    const value = residentBytes(server.pid);
    return { measured: mb(value), value };
  },
};

async function startServer() {
  const directory = mkdtempSync(path.join(tmpdir(), "dt-bench-"));
  const port = await findFreePort();
  const startedAt = performance.now();
  const child = spawn(process.execPath, [main], {
    cwd: directory,
    stdio: ["ignore", "ignore", "inherit"],
    env: {
      PATH: process.env.PATH,
      HOME: directory,
      DT_DATA_DIR: directory,
      CODER_AGENT_PORT: String(port),
    },
  });
  await untilCard(`http://127.0.0.1:${port}/.well-known/agent-card.json`);
  const startMs = performance.now() - startedAt;
  return {
    startMs,
    pid: child.pid,
    async close() {
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      await exited;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function untilCard(url) {
  for (;;) {
    const card = await fetch(url).catch(() => undefined);
    if (card?.ok) return await card.json();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function findFreePort() {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address();
  probe.close();
  await once(probe, "close");
  return port;
}

// Linux only; elsewhere the row says so.
function residentBytes(pid) {
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(kilobytes) * 1024;
}
