import type { ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import type { Readable } from "node:stream";
import spawn from "cross-spawn";
import { abortableSleep } from "../../model/retry/abortable-sleep.js";
import { openProcessTree } from "../../workspace/processes/process-tree.js";
import type { Sandbox } from "../../workspace/processes/sandbox.js";
import { McpFailure } from "../mcp-failure.js";
import { createTextTail } from "./text-tail.js";

/** A program to start. */
export interface ServerProcessOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment of the program. */
  readonly environment: Readonly<Record<string, string>>;
  readonly directory: string;
  /** Sandbox in which the program runs. Default: none. */
  readonly sandbox?: Sandbox | undefined;
  /** Monotonic clock in milliseconds, for the wait until the program ends. */
  elapsedMs(): number;
}

/** Callbacks for the events of a program. */
export interface ServerProcessEvents {
  onStdout(stdout: Readable): void;
  /** Called when the program's standard input fails. */
  onError(error: Error): void;
  /** Called when the program has ended or could not be started. */
  onEnded(): void;
}

/** A running program, and all processes that it started. */
export interface ServerProcess {
  /** Resolves when the program runs; rejects with {@link McpFailure} if it cannot be started. */
  readonly started: Promise<void>;
  /** Exit code or signal, and the last output on standard error; undefined while the program runs. */
  readonly ending: string | undefined;
  write(line: string): Promise<void>;
  /** Ends the program and its children at once; `reason` becomes a part of {@link ending}. */
  kill(reason: string): void;
  /**
   * Closes the program's input, so that the program ends by itself. After a while, ends the program and its
   * children if they still run. Resolves when they have ended.
   */
  close(): Promise<void>;
}

const STDERR_LENGTH = 2_000;
const GRACE_MS = 1_000;

/** Starts a program with pipes for its input and output. */
export function startServerProcess(
  options: ServerProcessOptions,
  events: ServerProcessEvents,
): ServerProcess {
  const stderr = createTextTail(STDERR_LENGTH);
  const marker = `DT_PROCESS_${randomUUID().replaceAll("-", "")}`;
  const child = spawnMarked(options, marker);
  let treeEnded: Promise<unknown> | undefined;
  let ending: string | undefined;
  child.stderr?.setEncoding("utf8").on("data", (text: string) => stderr.push(text));
  child.stdin?.on("error", events.onError);
  const ended = watchEnd();
  if (child.stdout !== null) events.onStdout(child.stdout);

  return {
    started: untilSpawned(child, options),
    get ending() {
      return ending;
    },
    write: (line) =>
      new Promise((resolve, reject) => {
        if (child.stdin?.writable !== true) return reject(new McpFailure("is not running"));
        child.stdin.write(line, (error) => (error ? reject(error) : resolve()));
      }),
    kill(reason) {
      stderr.push(`\n${reason}`);
      void endTree(0);
    },
    async close() {
      child.stdin?.end();
      await waitAtMost(ended, GRACE_MS);
      await endTree(GRACE_MS);
      await ended;
    },
  };

  // Ends the program and its children, but only once, because another program may get the process id later.
  async function endTree(graceMs: number): Promise<void> {
    const { pid } = child;
    if (pid === undefined) return;
    treeEnded ??= openProcessTree({ pid, marker }, { elapsedMs: options.elapsedMs })
      .end({ graceMs })
      // If processes cannot be listed, only the program itself can be ended.
      .catch(() => child.kill("SIGKILL"));
    await treeEnded;
  }

  // Resolves after the program has ended and its pipes are closed. When the program exits, its children are
  // ended too, because they keep the inherited pipes open.
  function watchEnd(): Promise<void> {
    return new Promise((resolve) => {
      const end = (how: string) => {
        if (ending !== undefined) return;
        child.stdout?.destroy();
        child.stderr?.destroy();
        ending = stderr.text === "" ? how : `${how}; its last output: ${stderr.text}`;
        resolve();
        events.onEnded();
      };
      child.once("error", () => child.pid === undefined && end("could not be started"));
      child.once("exit", (code, signal) => {
        void endTree(0);
        const how = code === null ? `was ended by ${signal}` : `ended with exit code ${code}`;
        const closed = new Promise((done) => child.once("close", done));
        // The wait has a limit, because a child that cannot be found may never close the pipes.
        void waitAtMost(closed, GRACE_MS).then(() => end(how));
      });
    });
  }
}

function spawnMarked(options: ServerProcessOptions, marker: string): ChildProcess {
  return spawn(options.command, [...options.args], {
    cwd: options.directory,
    env: { ...options.environment, [marker]: "1" },
    stdio: ["pipe", "pipe", "pipe"],
    detached: process.platform !== "win32",
    windowsHide: true,
  });
}

function untilSpawned(
  child: ChildProcess,
  { command, directory }: ServerProcessOptions,
): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", (cause: NodeJS.ErrnoException) => {
      const what =
        cause.code === "ENOENT" ? `${command} or the directory does not exist` : cause.message;
      const message = `could not be started in ${directory}: ${what}`;
      reject(new McpFailure(message, { cause, isFinal: true }));
    });
  });
}

async function waitAtMost(event: Promise<unknown>, ms: number): Promise<void> {
  const sleepAbort = new AbortController();
  await Promise.race([event, abortableSleep(ms, sleepAbort.signal)]);
  sleepAbort.abort();
}
