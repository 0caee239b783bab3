import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import type { SettingsFault } from "../../settings/settings-error.js";

/** A file that describes a command. */
export interface FoundCommandFile {
  readonly file: string;
  /** Where it stands in the tree, e.g. ["git", "commit"] for `git/commit.md`. */
  readonly path: readonly string[];
}

/** The files of one directory, and those that cannot be commands. */
export interface FoundCommandFiles {
  readonly files: readonly FoundCommandFile[];
  readonly warnings: readonly SettingsFault[];
}

/** Links may form a loop; no tree of commands is deeper. */
const mostLevels = 5;
const mostBytes = 256_000;
const goodName = /^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u;

/** Finds `*.md` in a directory and those below it, in the order of their names. It need not exist. */
export async function findCommandFiles(
  directory: string,
  above: readonly string[] = [],
): Promise<FoundCommandFiles> {
  const files: FoundCommandFile[] = [];
  const warnings: SettingsFault[] = [];
  const names = await readdir(directory).catch(() => []);
  for (const entry of names.sort()) {
    const file = path.join(directory, entry);
    const stats = await stat(file).catch(() => undefined);
    const name = stats?.isDirectory() ? entry : path.basename(entry, ".md");
    const isWanted = stats?.isDirectory() ? above.length < mostLevels - 1 : entry.endsWith(".md");
    if (stats === undefined || !isWanted || entry.startsWith(".")) continue;
    if (!goodName.test(name)) {
      const problem = "a command's name has letters, digits, dots, dashes and underscores only";
      warnings.push({ file, key: "", problem });
    } else if (stats.isDirectory()) {
      const below = await findCommandFiles(file, [...above, name]);
      files.push(...below.files);
      warnings.push(...below.warnings);
    } else if (stats.size > mostBytes) {
      const problem = `has ${stats.size} bytes; a command may have ${mostBytes}`;
      warnings.push({ file, key: "", problem });
    } else if (stats.isFile()) {
      files.push({ file, path: [...above, name] });
    }
  }
  return { files, warnings };
}
