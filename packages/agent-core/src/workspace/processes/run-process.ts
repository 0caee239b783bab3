import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { MACHINE_CLOCK } from "../../clock.js";
import { ToolError } from "../../errors/tool-error.js";
import { openMarker, type ProcessMarker } from "./process-marker.js";
import { openProcessTree, type ProcessTree } from "./process-tree.js";
import type { Program, Sandbox } from "./sandbox.js";

/** Options of {@link runProcess}. */
export interface ProcessOptions {
  readonly file: string;
  readonly args: readonly string[];
  readonly directory: string;
  /** The complete environment; nothing is inherited. */
  readonly environment: Readonly<Record<string, string>>;
  /** An abort ends the process and all of its descendants. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Sandbox in which the program runs. Default: none. */
  readonly sandbox?: Sandbox | undefined;
  /** Mark of the tool call that runs the program. Default: a new mark. */
  readonly mark?: string | undefined;
  /**
   * Monotonic clock in milliseconds, for the time that processes get to end. Default: the clock of
   * this machine.
   */
  readonly elapsedMs?: (() => number) | undefined;
  /**
   * Receives the output piece by piece. The process waits until the promise resolves, so output
   * never accumulates. Resolving with `stop` ends the process.
   */
  onOutput(chunk: Buffer, stream: "stdout" | "stderr"): Promise<"stop" | undefined>;
}

/** The end of a process. */
export interface ProcessEnd {
  readonly reason: "exited" | "aborted" | "timed-out" | "stopped";
  /**
   * Exit code; undefined if a signal ended the process, if it was not started, or if some processes could not
   * be ended.
   */
  readonly exitCode: number | undefined;
  readonly endedBy: NodeJS.Signals | undefined;
  /** Descendants, as `name (pid)`, that were still running when the process ended. They were ended too. */
  readonly leftBehind: readonly string[];
  /** Processes, as `name (pid)`, that could not be ended. */
  readonly survivors: readonly string[];
}

/** Time between SIGTERM and SIGKILL. */
const GRACE_MS = 1000;
/**
 * Time that descendants get to end by themselves after the process has ended. Examples are the other
 * programs of a pipeline, or a clean-up hook.
 */
const LINGER_MS = 500;

/**
 * Runs a program until it exits or is stopped. Resolves when the program and all of its descendants have
 * ended, except those that cannot be ended. Throws {@link ToolError} if the program cannot be started.
 */
export async function runProcess(options: ProcessOptions): Promise<ProcessEnd> {
  const { signal, timeoutMs } = options;
  await using marker = await openMarker(options.mark);
  const program = (await options.sandbox?.wrap(options)) ?? options;
  if (signal.aborted) return { ...EMPTY_END, reason: "aborted" };
  const stopping = new AbortController();
  const onAbort = () => stopping.abort("aborted");
  const timer = setTimeout(() => stopping.abort("timed-out"), timeoutMs);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await runUntilStopped({ ...options, ...program, marker }, stopping);
  } catch (error) {
    throw isSpawnError(error) ? notStarted(program, error) : error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}

interface MarkedOptions extends ProcessOptions {
  readonly marker: ProcessMarker;
}

async function runUntilStopped(
  options: MarkedOptions,
  stopping: AbortController,
): Promise<ProcessEnd> {
  const child = spawnMarked(options);
  const ended = endOf(child);
  const reading = Promise.all([read("stdout"), read("stderr")]);
  // An error of `onOutput` ends the process. The error is rethrown below, where `reading` is awaited.
  reading.catch(() => stopping.abort("stopped"));
  if (child.pid === undefined) return await ended;

  // From here on, only the process and its descendants have the marker file open.
  await options.marker.close();
  const { elapsedMs = MACHINE_CLOCK.elapsedMs } = options;
  const tree = openProcessTree({ pid: child.pid, ...options.marker }, { elapsedMs });
  await watchUntil(Promise.race([ended, aborted(stopping.signal)]), tree);
  const leftBehind = await waitForDescendants(tree, {
    stopping: stopping.signal,
    elapsedMs,
    holder: options.sandbox?.holder,
  });
  const survivors = (await tree.end({ graceMs: GRACE_MS })).map(describe);
  // If the output is still open, a descendant that no search found has it open. This function does not
  // wait for that descendant.
  const isClosed = await Promise.race([reading.then(() => true), wait(LINGER_MS, false)]);
  child.stdout.destroy();
  child.stderr.destroy();
  await reading;
  return {
    ...(survivors.length === 0 ? await ended : EMPTY_END),
    ...(stopping.signal.aborted && { reason: stopping.signal.reason }),
    leftBehind,
    survivors: isClosed || survivors.length > 0 ? survivors : ["a process that detached itself"],
  };

  async function read(stream: "stdout" | "stderr"): Promise<void> {
    try {
      for await (const chunk of child[stream]) {
        if (stopping.signal.reason === "stopped") continue;
        if ((await options.onOutput(chunk, stream)) === "stop") stopping.abort("stopped");
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
    }
  }
}

function spawnMarked({ file, args, directory, environment, marker }: MarkedOptions) {
  return spawn(file, [...args], {
    cwd: directory,
    env: { ...environment, [marker.marker]: "1" },
    // The process gets a new group and no terminal, so that it cannot prompt the person directly.
    detached: process.platform !== "win32",
    windowsHide: true,
    stdio: ["ignore", "pipe", "pipe", ...marker.stdio],
  }) as ChildProcessByStdio<null, Readable, Readable>;
}

/** Watches a process tree until `event` settles. */
async function watchUntil(event: Promise<unknown>, tree: ProcessTree): Promise<void> {
  const happened = new AbortController();
  // If the process table cannot be read, `tree.end` reports the error later.
  const watching = tree.watch(happened.signal).catch(() => undefined);
  try {
    await event;
  } finally {
    happened.abort();
    await watching;
  }
}

function isSpawnError(error: unknown): error is NodeJS.ErrnoException {
  return (
    error instanceof Error && `${(error as NodeJS.ErrnoException).syscall}`.startsWith("spawn")
  );
}

function notStarted({ file, args }: Program, error: NodeJS.ErrnoException): ToolError {
  const size = args.join(" ").length;
  const fault =
    error.code === "E2BIG" ? `its command line of ${size} characters is too long` : error.code;
  return new ToolError("not_started", `${file} could not be started: ${fault}`, { cause: error });
}

const EMPTY_END: ProcessEnd = {
  reason: "exited",
  exitCode: undefined,
  endedBy: undefined,
  leftBehind: [],
  survivors: [],
};

function endOf(child: ChildProcess): Promise<ProcessEnd> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) =>
      resolve({ ...EMPTY_END, exitCode: code ?? undefined, endedBy: signal ?? undefined }),
    );
  });
}

interface LingerOptions {
  readonly stopping: AbortSignal;
  elapsedMs(): number;
  /** Name of the sandbox's own processes. They are left out of the result if other processes still run. */
  readonly holder: string | undefined;
}

/** Waits a short time for descendants to end by themselves; returns those that have not ended. */
async function waitForDescendants(
  tree: ProcessTree,
  { stopping, elapsedMs, holder }: LingerOptions,
): Promise<readonly string[]> {
  const until = elapsedMs() + LINGER_MS;
  for (;;) {
    if (stopping.aborted) return [];
    const living = await tree.living();
    if (living.length === 0) return [];
    if (elapsedMs() >= until) {
      const named = living.filter(({ name }) => name !== holder);
      return (named.length > 0 ? named : living).map(describe);
    }
    await wait(20);
  }
}

function describe({ name, pid }: { name: string; pid: number }): string {
  return `${name} (${pid})`;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
