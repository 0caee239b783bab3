import { ToolError } from "../../../errors/tool-error.js";
import { runProcess } from "../../../workspace/processes/run-process.js";

/** Options of {@link runRipgrep}. */
export interface RipgrepOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** Returns the path of ripgrep. Default: the path in the npm package `@vscode/ripgrep`. */
  readonly findRipgrep?: () => Promise<string>;
  /** Monotonic clock in milliseconds, for the timeout. Default: the clock of this machine. */
  readonly elapsedMs?: (() => number) | undefined;
}

/** One run of ripgrep. */
export interface RipgrepRun {
  readonly args: readonly string[];
  readonly directory: string;
  readonly signal: AbortSignal;
  /** Receives each line of output; returning false ends the run. */
  onLine(line: string): boolean;
  /** Returns the error for ripgrep's error message; undefined if ripgrep rejected the pattern, which is the default. */
  readonly findError?: (message: string) => ToolError | undefined;
}

const TIMEOUT_MS = 60_000;
const MAX_LINE_LENGTH = 10_000;

/** Arguments of every run. ripgrep respects ignore files, even outside of git, and searches hidden files. */
const FIXED_ARGS = [
  "--no-config",
  "--no-require-git",
  "--hidden",
  "--glob=!.git",
  "--no-messages",
  "--path-separator=/",
];

/**
 * Runs ripgrep and calls `onLine` with its lines. Throws if ripgrep is missing or rejects its
 * arguments.
 */
export async function runRipgrep(run: RipgrepRun, options: RipgrepOptions): Promise<void> {
  const { environment = {}, findRipgrep = findPackagedRipgrep } = options;
  const splitter = createLineSplitter(run.onLine);
  let errorOutput = "";
  const end = await runProcess({
    file: await findProgram(findRipgrep),
    args: [...FIXED_ARGS, ...run.args],
    directory: run.directory,
    environment,
    signal: run.signal,
    timeoutMs: TIMEOUT_MS,
    elapsedMs: options.elapsedMs,
    async onOutput(chunk, stream) {
      if (stream === "stdout") return splitter.write(chunk) ? undefined : "stop";
      errorOutput = (errorOutput + chunk.toString("utf8")).slice(0, 2000);
      return undefined;
    },
  }).catch((error) => {
    throw ripgrepMissing(error);
  });
  if (end.reason === "timed-out") {
    throw new ToolError(
      "timed_out",
      "the search took longer than a minute; search a smaller directory",
    );
  }
  if (end.reason === "aborted") throw new ToolError("cancelled", "the search was cancelled");
  if (end.reason === "exited") splitter.end();
  // Exit code 1 means that nothing was found. Exit code 2 with an error message means that the arguments are
  // invalid or, with the argument `--messages`, that a file cannot be read.
  if (end.exitCode === 2 && errorOutput !== "") {
    const message = errorOutput.trim();
    throw (
      run.findError?.(message) ??
      new ToolError("invalid_pattern", `ripgrep rejected the pattern: ${message}`)
    );
  }
}

async function findProgram(find: () => Promise<string>): Promise<string> {
  try {
    return await find();
  } catch (error) {
    throw ripgrepMissing(error);
  }
}

async function findPackagedRipgrep(): Promise<string> {
  const { rgPath } = await import("@vscode/ripgrep");
  return rgPath;
}

function ripgrepMissing(cause: unknown): ToolError {
  return new ToolError(
    "ripgrep_missing",
    "ripgrep could not be started, so files cannot be searched; reinstall with optional dependencies, or use grep or find in run_shell_command",
    { cause },
  );
}

/**
 * Creates a splitter that calls `onLine` with each line. `write` returns false if `onLine` returns false.
 */
function createLineSplitter(onLine: (line: string) => boolean) {
  const decoder = new TextDecoder();
  let rest = "";
  return {
    write(chunk: Buffer): boolean {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = (lines.pop() ?? "").slice(0, MAX_LINE_LENGTH);
      return lines.every(onLine);
    },
    end() {
      if (rest !== "") onLine(rest);
    },
  };
}
