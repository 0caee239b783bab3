import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { ToolError } from "../../errors/tool-error.js";
import { openMarker, type ProcessMarker } from "./process-marker.js";
import { openProcessTree, type ProcessTree } from "./process-tree.js";

/** A program to run. */
export interface ProcessOptions {
  readonly file: string;
  readonly args: readonly string[];
  readonly directory: string;
  /** All of its environment; nothing is inherited. */
  readonly environment: Readonly<Record<string, string>>;
  /** Ends the process and everything that it started. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** The mark of the call that runs it. Default: one of its own. */
  readonly mark?: string | undefined;
  /**
   * Takes what is printed, piece by piece; the process waits until it is taken, so output never piles
   * up. `stop` in answer ends the process.
   */
  onOutput(chunk: Buffer, stream: "stdout" | "stderr"): Promise<"stop" | undefined>;
}

/** How a process ended. */
export interface ProcessEnd {
  readonly reason: "exited" | "aborted" | "timed-out" | "stopped";
  /** Undefined where a signal ended it. */
  readonly exitCode: number | undefined;
  readonly endedBy: NodeJS.Signals | undefined;
  /** What it left running, as `name (pid)`: ended too. */
  readonly leftBehind: readonly string[];
  /** What could not be ended. */
  readonly survivors: readonly string[];
}

/** How long processes have after SIGTERM. */
const graceMs = 1000;
/** How long what a process started may outlive it: the end of a pipeline, a hook that tidies up. */
const lingerMs = 500;

/**
 * Runs a program to its end, by itself or by force, and resolves when it and everything that it
 * started are gone. Throws {@link ToolError} where it cannot be started.
 */
export async function runProcess(options: ProcessOptions): Promise<ProcessEnd> {
  const { signal, timeoutMs } = options;
  await using marker = await openMarker(options.mark);
  if (signal.aborted) return { ...nothing, reason: "aborted" };
  const cut = new AbortController();
  const onAbort = () => cut.abort("aborted");
  const timer = setTimeout(() => cut.abort("timed-out"), timeoutMs);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await runUntilCut({ ...options, marker }, cut);
  } catch (error) {
    throw isOfSpawn(error) ? notStarted(options, error) : error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}

interface MarkedOptions extends ProcessOptions {
  readonly marker: ProcessMarker;
}

async function runUntilCut(options: MarkedOptions, cut: AbortController): Promise<ProcessEnd> {
  const child = spawnMarked(options);
  const ended = endOf(child);
  const reading = Promise.all([read("stdout"), read("stderr")]);
  // Heard below; until then a taker that fails ends the process.
  reading.catch(() => cut.abort("stopped"));
  if (child.pid === undefined) return await ended;

  // From here on only the process and what it starts have the mark.
  await options.marker.close();
  const tree = openProcessTree({ pid: child.pid, ...options.marker });
  await watchUntil(Promise.race([ended, aborted(cut.signal)]), tree);
  const leftBehind = await waitForRest(tree, cut.signal);
  const survivors = (await tree.end({ graceMs })).map(describe);
  // Whoever still holds the output has hidden from us; nobody waits for it.
  const isClosed = await Promise.race([reading.then(() => true), wait(lingerMs, false)]);
  child.stdout.destroy();
  child.stderr.destroy();
  await reading;
  return {
    ...(survivors.length === 0 ? await ended : nothing),
    ...(cut.signal.aborted && { reason: cut.signal.reason }),
    leftBehind,
    survivors: isClosed || survivors.length > 0 ? survivors : ["a process that hid itself"],
  };

  async function read(stream: "stdout" | "stderr"): Promise<void> {
    try {
      for await (const chunk of child[stream]) {
        if (cut.signal.reason === "stopped") continue;
        if ((await options.onOutput(chunk, stream)) === "stop") cut.abort("stopped");
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
    // Its own process group and no terminal: it cannot ask the person anything behind our back.
    detached: process.platform !== "win32",
    windowsHide: true,
    stdio: ["ignore", "pipe", "pipe", ...marker.stdio],
  }) as ChildProcessByStdio<null, Readable, Readable>;
}

/** Follows a tree until something has happened. */
async function watchUntil(event: Promise<unknown>, tree: ProcessTree): Promise<void> {
  const happened = new AbortController();
  // A table of processes that cannot be read is a fault that shows when they are to be ended.
  const watching = tree.watch(happened.signal).catch(() => undefined);
  try {
    await event;
  } finally {
    happened.abort();
    await watching;
  }
}

function isOfSpawn(error: unknown): error is NodeJS.ErrnoException {
  return (
    error instanceof Error && `${(error as NodeJS.ErrnoException).syscall}`.startsWith("spawn")
  );
}

function notStarted({ file, args }: ProcessOptions, error: NodeJS.ErrnoException): ToolError {
  const size = args.join(" ").length;
  const fault = error.code === "E2BIG" ? `a command of ${size} characters is too long` : error.code;
  return new ToolError("not_started", `${file} could not be started: ${fault}`, { cause: error });
}

const nothing: ProcessEnd = {
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
      resolve({ ...nothing, exitCode: code ?? undefined, endedBy: signal ?? undefined }),
    );
  });
}

/** Gives what a process started a moment to end with it, and what has not. */
async function waitForRest(tree: ProcessTree, cut: AbortSignal): Promise<readonly string[]> {
  const until = performance.now() + lingerMs;
  for (;;) {
    if (cut.aborted) return [];
    const rest = await tree.living();
    if (rest.length === 0) return [];
    if (performance.now() >= until) return rest.map(describe);
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
