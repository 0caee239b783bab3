import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";

const main = path.resolve(import.meta.dirname, "../../../apps/server/dist/main.js");

/** A dt-server in a process of its own. */
export interface ServerProcess extends AsyncDisposable {
  readonly url: string;
  readonly child: ChildProcess;
  /** Ends it as a crash would, at once. */
  kill(): Promise<void>;
}

/** Starts the built server and waits until it listens. */
export async function startServerProcess(
  environment: Readonly<Record<string, string>>,
): Promise<ServerProcess> {
  const child = spawn(process.execPath, [main], {
    env: { PATH: process.env.PATH ?? "", HOME: environment.DT_DATA_DIR ?? "", ...environment },
    cwd: environment.DT_WORKSPACE_ROOTS,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let complaints = "";
  child.stderr.on("data", (chunk) => {
    complaints += chunk;
  });
  const exited = once(child, "exit");
  const url = await firstAddress(child).catch(async () => {
    const [code] = await exited;
    throw new Error(`dt-server ended with ${code}: ${complaints}`);
  });
  async function kill(): Promise<void> {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    await exited;
  }
  return { url, child, kill, [Symbol.asyncDispose]: kill };
}

async function firstAddress(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error("the server has no output");
  for await (const line of createInterface({ input: child.stdout })) {
    const found = /listens on (\S+)/.exec(line);
    if (found?.[1] !== undefined) return found[1];
  }
  throw new Error("the server's output ended");
}

/** A port that was free a moment ago, for a server that must come back at the same address. */
export async function findFreePort(): Promise<number> {
  const { createServer } = await import("node:net");
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}
