import { lstat } from "node:fs/promises";
import path from "node:path";
import { ToolError } from "../../../errors/tool-error.js";
import { openDirectory } from "../../../workspace/open-directory.js";
import type { WorkspacePath } from "../../../workspace/workspace.js";

/** A file below a directory, with the time of its last change. */
export interface DatedFile {
  /** Path relative to the directory. */
  readonly file: string;
  readonly changedAt: number;
}

/** Number of directories that are open at the same time. */
const MOST_HELD = 32;
/** Number of files of a directory that are looked up together; other work can run in between. */
const MOST_AT_ONCE = 500;

/**
 * Looks up files that a program found by name, and leaves out those that do not exist.
 *
 * The program may have followed a link that replaced a directory meanwhile. Here each directory is
 * opened and its path is checked, so that no file outside is reported.
 */
export async function findAgain(
  files: readonly string[],
  directory: WorkspacePath,
): Promise<readonly DatedFile[]> {
  const groups = new Map<string, string[]>();
  for (const file of files) {
    const parent = path.dirname(file);
    const group = groups.get(parent);
    if (group === undefined) groups.set(parent, [file]);
    else group.push(file);
  }
  const all = [...groups];
  const found: DatedFile[] = [];
  for (let at = 0; at < all.length; at += MOST_HELD) {
    const some = all.slice(at, at + MOST_HELD);
    const looks = some.map(([parent, group]) => lookInto(belowOf(directory, parent), group));
    for (const dated of await Promise.all(looks)) found.push(...dated);
  }
  return found;
}

/** Returns the path of a file below a resolved directory. Pure. */
export function belowOf(directory: WorkspacePath, relative: string): WorkspacePath {
  return {
    absolute: path.join(directory.absolute, relative),
    display: path.join(directory.display, relative),
    isInside: directory.isInside,
  };
}

async function lookInto(
  parent: WorkspacePath,
  files: readonly string[],
): Promise<readonly DatedFile[]> {
  try {
    await using held = await openDirectory(parent);
    const found: DatedFile[] = [];
    for (let at = 0; at < files.length; at += MOST_AT_ONCE) {
      const some = files.slice(at, at + MOST_AT_ONCE).map((file) => lookAt(file, held.path));
      for (const dated of await Promise.all(some)) if (dated !== undefined) found.push(dated);
    }
    return found;
  } catch (error) {
    // The directory was removed, or replaced by a link.
    if (error instanceof ToolError) return [];
    throw error;
  }
}

async function lookAt(file: string, directory: string): Promise<DatedFile | undefined> {
  const stats = await lstat(path.join(directory, path.basename(file))).catch(() => undefined);
  return stats?.isFile() ? { file, changedAt: stats.mtimeMs } : undefined;
}
