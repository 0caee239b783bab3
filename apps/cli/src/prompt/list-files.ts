import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

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
];

/**
 * The files below a directory that its ignore files do not hide: the first so many, as far as a few
 * seconds reach. Empty where they cannot be listed; completion then has nothing to offer.
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
  const lines = createInterface({ input: child.stdout });
  lines.on("line", (line) => {
    if (files.length < mostFiles) files.push(line);
    else child.kill();
  });
  await ended;
  return files.sort();
}
