import type { ChildProcess } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { AgentProcess, AgentProcessEnd } from "@dt/schema";
import spawn from "cross-spawn";
import { MACHINE_CLOCK } from "../../clock.js";
import { createErrorTail } from "./error-tail.js";
import { openMarker, type ProcessMarker } from "./process-marker.js";
import { openProcessTree, type ProcessTree } from "./process-tree.js";

/** Options of {@link startAgentProcess}. */
export interface AgentProcessOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly directory: string;
  /** The complete environment; nothing is inherited. */
  readonly environment: Readonly<Record<string, string>>;
  /** Values that must not appear in the errors of the process, such as its keys. */
  readonly secrets: readonly string[];
  /** Mark that the process and its descendants inherit. */
  readonly mark: string;
  /** Monotonic clock in milliseconds. Default: the clock of this machine. */
  readonly elapsedMs?: (() => number) | undefined;
}

/** A running process of an external agent. Its owner must call `end`. */
export interface StartedAgentProcess extends AgentProcess {
  /** Closes the input, and ends the process and its descendants if they do not end by themselves. */
  end(): Promise<void>;
}

/** Time that the process gets to end after its input was closed, and again after SIGTERM. */
const GRACE_MS = 1_000;

/** Starts a process that communicates over stdin and stdout. Rejects if it cannot be started. */
export async function startAgentProcess(
  options: AgentProcessOptions,
): Promise<StartedAgentProcess> {
  await using marker = await openMarker(options.mark);
  const child = spawnMarked(options, marker);
  const errors = createErrorTail(options.secrets);
  child.stderr.on("data", (chunk: Buffer) => errors.add(chunk));
  // A write to a process that has ended fails in `write`, so the event itself needs no handling.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on("error", () => {});
  const pid = await startOf(child, options);
  const { elapsedMs = MACHINE_CLOCK.elapsedMs } = options;
  return toAgentProcess(child, {
    ended: endOf(child, errors.text),
    tree: openProcessTree({ pid, marker: marker.marker }, { elapsedMs }),
  });
}

type PipedChild = ChildProcess & {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
};

function spawnMarked(options: AgentProcessOptions, marker: ProcessMarker): PipedChild {
  const { command, args, directory, environment } = options;
  // The cast is safe because the first three streams are pipes.
  return spawn(command, [...args], {
    cwd: directory,
    env: { ...environment, [marker.marker]: "1" },
    // The process gets a new group and no terminal, so that it cannot prompt the person directly.
    detached: process.platform !== "win32",
    windowsHide: true,
    stdio: ["pipe", "pipe", "pipe", ...marker.stdio],
  }) as PipedChild;
}

/** Resolves with the pid when the process has started. */
function startOf(child: ChildProcess, { command }: AgentProcessOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once("spawn", () => resolve(child.pid ?? 0));
    child.once("error", (error: NodeJS.ErrnoException) => {
      const reason = error.code === "ENOENT" ? "it is not installed" : error.code;
      reject(new Error(`${command} could not be started: ${reason}`, { cause: error }));
    });
  });
}

function endOf(child: ChildProcess, lastErrors: () => string): Promise<AgentProcessEnd> {
  return new Promise((resolve) => {
    // "close" comes after the last output on stderr; a descendant may keep the pipes open after "exit".
    const finish = (code: number | null, signal: string | null) =>
      resolve({
        how: signal === null ? `exit code ${code ?? "unknown"}` : `signal ${signal}`,
        lastErrors: lastErrors(),
      });
    child.once("close", finish);
    child.once("exit", (code, signal) => {
      setTimeout(() => finish(code, signal), LINGER_MS).unref();
    });
  });
}

/** Maximum wait for the pipes of an exited process to close. A descendant may keep them open. */
const LINGER_MS = 500;

interface RunningProcess {
  readonly ended: Promise<AgentProcessEnd>;
  readonly tree: ProcessTree;
}

function toAgentProcess(child: PipedChild, { ended, tree }: RunningProcess): StartedAgentProcess {
  let ending: Promise<void> | undefined;

  async function endAll(): Promise<void> {
    child.stdin.end();
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, GRACE_MS);
    });
    await Promise.race([ended, patience]);
    clearTimeout(timer);
    await tree.end({ graceMs: GRACE_MS });
    child.stdout.destroy();
    child.stderr.destroy();
  }

  return {
    output: child.stdout,
    write: (bytes) =>
      new Promise((resolve, reject) => {
        child.stdin.write(bytes, (error) => (error ? reject(error) : resolve()));
      }),
    ended,
    end() {
      ending ??= endAll();
      return ending;
    },
  };
}
