import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";

const execute = promisify(execFile);
const root = path.resolve(import.meta.dirname, "../../..");
const curl = path.join(import.meta.dirname, "curl.mjs");

/** A command of the README that `<!-- run: NAME -->` marks, and the output that the README shows for it. */
export interface ReadmeCommand {
  readonly script: string;
  readonly shown: readonly string[];
}

/** Reads a marked command and the block of output that follows it. */
export function readmeCommand(name: string): ReadmeCommand {
  const readme = readFileSync(path.join(root, "README.md"), "utf8");
  const block = `<!-- run: ${name} -->\\n\`\`\`sh\\n([\\s\\S]*?)\`\`\`[\\s\\S]*?\`\`\`text\\n([\\s\\S]*?)\`\`\``;
  const [, script, output] = new RegExp(block).exec(readme) ?? [];
  if (script === undefined || output === undefined) {
    throw new Error(`README.md has no command marked ${name} with its output`);
  }
  return { script, shown: output.trimEnd().split("\n") };
}

/**
 * Runs a script as a person would paste it, with our replacement for curl. Resolves with the lines of its
 * output, without blank lines and without the comments and ids of server-sent events.
 */
export async function paste(
  script: string,
  { cwd, home }: { readonly cwd: string; readonly home: string },
): Promise<readonly string[]> {
  const bin = path.join(home, "bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(path.join(bin, "curl"), `#!/bin/sh\nexec "${process.execPath}" "${curl}" "$@"\n`);
  chmodSync(path.join(bin, "curl"), 0o755);
  const PATH = `${bin}${path.delimiter}${process.env.PATH}`;
  const { stdout } = await execute("sh", ["-c", script], { cwd, env: { PATH, HOME: home } });
  return stdout.split("\n").filter((line) => line !== "" && !/^(:|id:)/.test(line));
}

/** Returns true if a line matches the line of a document, where `…` matches any text. */
export function isShown(line: string | undefined, shown: string): boolean {
  const pattern = shown.split("…").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${pattern.join(".*")}$`).test(line ?? "");
}
