import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import type { StampedFile } from "../../settings/files/file-cache.js";
import type { SettingsFault } from "../../settings/settings-error.js";

/** A file that describes a command. */
export interface FoundCommandFile extends StampedFile {
  /** Path in the tree, such as ["git", "commit"] for `git/commit.md`. */
  readonly path: readonly string[];
}

/** The command files of one directory, and warnings about files that are not used. */
export interface FoundCommandFiles {
  readonly files: readonly FoundCommandFile[];
  readonly warnings: readonly SettingsFault[];
}

/** Maximum number of folder levels to search. The limit ends the search if links form a loop. */
const MAX_LEVELS = 5;
const MAX_BYTES = 256_000;
const VALID_NAME = /^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u;

/** Finds `*.md` files in a directory and below it, sorted by name. The directory need not exist. */
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
    const isWanted = stats?.isDirectory() ? above.length < MAX_LEVELS - 1 : entry.endsWith(".md");
    if (stats === undefined || !isWanted || entry.startsWith(".")) continue;
    if (!VALID_NAME.test(name)) {
      const problem =
        "the name of a command may contain only letters, digits, dots, dashes and underscores";
      warnings.push({ file, key: "", problem });
    } else if (stats.isDirectory()) {
      const below = await findCommandFiles(file, [...above, name]);
      files.push(...below.files);
      warnings.push(...below.warnings);
    } else if (stats.size > MAX_BYTES) {
      const problem = `has ${stats.size} bytes; a command may have at most ${MAX_BYTES}`;
      warnings.push({ file, key: "", problem });
    } else if (stats.isFile()) {
      files.push({ file, stats, path: [...above, name] });
    }
  }
  return { files, warnings };
}
