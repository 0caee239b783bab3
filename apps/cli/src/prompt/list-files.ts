import { spawn } from "node:child_process";

const mostFiles = 50_000;
const longestMs = 5_000;

const args = [
  "--no-config",
  "--no-require-git",
  "--hidden",
  "--glob=!.git",
  "--no-messages",
  "--path-separator=/",
  "--files",
  "--null",
];

/** A name that cannot be written in a prompt so that it is found again: with controls, or not in UTF-8. */
const unwritable = /[\p{Cc}\u2028\u2029\ufffd]/u;

/**
 * The files below a directory that its ignore files do not hide and a prompt can name: the first so many,
 * as far as a few seconds reach. Empty where they cannot be listed; completion then has nothing to offer.
 */
export async function listFiles(
  directory: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { rgPath } = await import("@vscode/ripgrep");
  const files: string[] = [];
  const child = spawn(rgPath, args, {
    cwd: directory,
    stdio: ["ignore", "pipe", "ignore"],
    signal: AbortSignal.any([signal, AbortSignal.timeout(longestMs)]),
  });
  const ended = new Promise<void>((resolve) => {
    child.once("error", () => resolve());
    child.once("close", () => resolve());
  });
  let rest = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    const names = (rest + chunk).split("\0");
    rest = names.pop() ?? "";
    files.push(...names.filter((name) => !unwritable.test(name)));
    if (files.length > mostFiles) child.kill();
  });
  await ended;
  return files.slice(0, mostFiles).sort();
}
