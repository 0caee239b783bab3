import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";

const MAIN = path.resolve(import.meta.dirname, "../../apps/server/dist/main.js");
const KILL_MS = 5_000;

/**
 * Starts the built dt-server on free ports, with the offline model, SQLite in a temporary folder, gRPC, and pushes
 * to this machine allowed.
 */
export async function openInteropServer() {
  const home = mkdtempSync(path.join(tmpdir(), "dt-interop-"));
  const workspace = path.join(home, "workspace");
  mkdirSync(workspace);
  const child = spawn(process.execPath, [MAIN], {
    cwd: workspace,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      HOME: home,
      CODER_AGENT_PORT: "0",
      DT_GRPC_PORT: "0",
      DT_DATA_DIR: path.join(home, "data"),
      DT_MODEL: "offline",
      DT_PUSH_ALLOW: "127.0.0.1",
      DT_SHUTDOWN_GRACE_MS: "0",
      DT_WORKSPACE_ROOTS: workspace,
    },
  });
  let log = "";
  child.stderr.on("data", (chunk) => {
    log += chunk;
  });
  const close = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      const killing = setTimeout(() => child.kill("SIGKILL"), KILL_MS);
      await exited;
      clearTimeout(killing);
    }
    rmSync(home, { recursive: true, force: true });
  };
  const url = await findAddress(child.stdout);
  if (url === undefined) {
    await close();
    throw new Error(`dt-server does not start: ${log}`);
  }
  return { url, workspace, log: () => log, close };
}

/** Finds the address in the server's output. Keeps reading, because a full pipe would block the server. */
async function findAddress(output) {
  const lines = createInterface({ input: output });
  for await (const line of lines) {
    const found = /listens on (\S+)/.exec(line);
    if (found === null) continue;
    output.resume();
    return found[1];
  }
  return undefined;
}
