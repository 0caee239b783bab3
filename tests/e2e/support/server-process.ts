import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";

const main = path.resolve(import.meta.dirname, "../../../apps/server/dist/main.js");

/** A dt-server in a child process. */
export interface ServerProcess extends AsyncDisposable {
  readonly url: string;
  readonly child: ChildProcess;
  /** Kills the process at once, like a crash. */
  kill(): Promise<void>;
  /** Stops the process gracefully. Returns its exit code and its stderr. */
  stop(): Promise<{ readonly code: number | null; readonly stderr: string }>;
  /** Returns the stderr so far. */
  stderr(): string;
  /** Waits for the first stderr line that contains `text`, and returns that line. */
  log(text: string): Promise<string>;
}

/** Starts the built server and waits until it listens. */
export async function startServerProcess(
  environment: Readonly<Record<string, string>>,
  startDirectory = environment.DT_WORKSPACE_ROOTS,
): Promise<ServerProcess> {
  const child = spawn(process.execPath, [main], {
    env: { PATH: process.env.PATH ?? "", HOME: environment.DT_DATA_DIR ?? "", ...environment },
    cwd: startDirectory,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stderr = "";
  const readers = new Set<() => void>();
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
    for (const read of readers) read();
  });
  const exited = once(child, "exit");
  // Code that needs all of stderr waits for "close", because after "exit" there may still be unread output.
  const closed = once(child, "close");
  const url = await firstAddress(child).catch(async () => {
    const [code] = await closed;
    throw new Error(`dt-server ended with ${code}: ${stderr}`);
  });
  async function kill(): Promise<void> {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    await exited;
  }
  async function log(text: string): Promise<string> {
    return await new Promise((resolve) => {
      const read = () => {
        const line = stderr
          .split("\n")
          .slice(0, -1)
          .find((candidate) => candidate.includes(text));
        if (line === undefined) return;
        readers.delete(read);
        resolve(line);
      };
      readers.add(read);
      read();
    });
  }
  return {
    url,
    child,
    kill,
    log,
    stderr: () => stderr,
    async stop() {
      child.kill("SIGTERM");
      const [code] = await closed;
      return { code, stderr };
    },
    [Symbol.asyncDispose]: kill,
  };
}

async function firstAddress(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error("the server has no output");
  for await (const line of createInterface({ input: child.stdout })) {
    const found = /listens on (\S+)/.exec(line);
    if (found?.[1] !== undefined) return found[1];
  }
  throw new Error("the server's output ended");
}

/** Finds a free port, for a server that must restart at the same address. */
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
