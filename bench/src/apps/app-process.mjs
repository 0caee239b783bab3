import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { readCpuMs, readResidentBytes } from "../process-stats.mjs";

const PROBE = path.resolve(import.meta.dirname, "../children/memory-probe.mjs");

/**
 * Starts a server in its own process, with its own home directory, and waits for its agent card. With
 * `hasProbe`, the server can report its heap after a garbage collection. Without it, the server runs as
 * users run it.
 */
export async function startApp({ name, main, environment, toBody, hasProbe = false }) {
  const home = mkdtempSync(path.join(tmpdir(), "dt-bench-"));
  const directory = path.join(home, "workspace");
  mkdirSync(directory);
  const port = await findFreePort();
  const startedAt = performance.now();
  const child = spawn(
    process.execPath,
    [...(hasProbe ? ["--expose-gc", "--import", PROBE] : []), main],
    {
      cwd: directory,
      stdio: ["ignore", "ignore", "inherit", ...(hasProbe ? ["ipc"] : [])],
      env: {
        PATH: process.env.PATH,
        HOME: home,
        CODER_AGENT_PORT: String(port),
        ...environment({ home, directory }),
      },
    },
  );
  const url = `http://127.0.0.1:${port}/`;
  await untilCard(`${url}.well-known/agent-card.json`, child);
  const startMs = performance.now() - startedAt;
  return {
    name,
    url,
    directory,
    startMs,
    pid: child.pid,
    cpuMs: () => readCpuMs(child.pid),
    residentBytes: () => readResidentBytes(child.pid),
    /** Creates the body of a request that streams one turn. `given` may set `taskId` and `autoExecute`. */
    toBody: (prompt, given = {}) => toBody(prompt, { workspacePath: directory, ...given }),
    /** Returns heap, descriptors, handles and resident memory after garbage collections. Needs `hasProbe`. */
    async probe() {
      const answered = once(child, "message");
      child.send("probe");
      const [memory] = await answered;
      return { ...memory, resident: readResidentBytes(child.pid) };
    },
    async close() {
      if (child.exitCode === null && child.signalCode === null) {
        const exited = once(child, "exit");
        child.kill("SIGTERM");
        const killing = setTimeout(() => child.kill("SIGKILL"), 5_000);
        await exited;
        clearTimeout(killing);
      }
      rmSync(home, { recursive: true, force: true });
    },
  };
}

async function untilCard(url, child) {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
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
