import { spawn } from "node:child_process";

const MAX_FILES = 50_000;
const TIMEOUT_MS = 5_000;

const RIPGREP_ARGS = [
  "--no-config",
  "--no-require-git",
  "--hidden",
  "--glob=!.git",
  "--no-messages",
  "--path-separator=/",
  "--files",
  "--null",
];

/** Matches file names that cannot be typed in a prompt: with control characters or invalid UTF-8. */
const UNTYPABLE_NAME = /[\p{Cc}\u2028\u2029\ufffd]/u;

/**
 * Lists the files below a directory, except those that a file such as `.gitignore` excludes. Listing stops
 * after a maximum number of files or a maximum time. The list is empty if ripgrep cannot be started.
 */
export async function listFiles(
  directory: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { rgPath } = await import("@vscode/ripgrep");
  const files: string[] = [];
  const child = spawn(rgPath, RIPGREP_ARGS, {
    cwd: directory,
    stdio: ["ignore", "pipe", "ignore"],
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  });
  const ended = new Promise<void>((resolve) => {
    child.once("error", () => resolve());
    child.once("close", () => resolve());
  });
  let rest = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    const names = (rest + chunk).split("\0");
    rest = names.pop() ?? "";
    files.push(...names.filter((name) => !UNTYPABLE_NAME.test(name)));
    if (files.length > MAX_FILES) child.kill();
  });
  await ended;
  return files.slice(0, MAX_FILES).sort();
}
