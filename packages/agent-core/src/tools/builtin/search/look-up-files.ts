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

/** Maximum number of directories that are open at the same time. */
const MAX_OPEN_DIRECTORIES = 32;
/** Maximum number of files that are looked up at the same time. */
const MAX_LOOKUPS = 500;

/**
 * Reads the dates of files that ripgrep found, and leaves out files that do not exist.
 *
 * While ripgrep ran, a link may have replaced a directory. This function therefore opens each
 * directory and checks its path, so that the result contains no file outside of `directory`.
 */
export async function lookUpFiles(
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
  for (let at = 0; at < all.length; at += MAX_OPEN_DIRECTORIES) {
    const some = all.slice(at, at + MAX_OPEN_DIRECTORIES);
    const looks = some.map(([parent, group]) => lookUpIn(joinPath(directory, parent), group));
    for (const dated of await Promise.all(looks)) found.push(...dated);
  }
  return found;
}

/** Returns the path of a file below a resolved directory. Pure. */
export function joinPath(directory: WorkspacePath, relative: string): WorkspacePath {
  return {
    absolute: path.join(directory.absolute, relative),
    display: path.join(directory.display, relative),
    isInside: directory.isInside,
  };
}

async function lookUpIn(
  parent: WorkspacePath,
  files: readonly string[],
): Promise<readonly DatedFile[]> {
  try {
    await using opened = await openDirectory(parent);
    const found: DatedFile[] = [];
    for (let at = 0; at < files.length; at += MAX_LOOKUPS) {
      const some = files.slice(at, at + MAX_LOOKUPS).map((file) => lookUpFile(file, opened.path));
      for (const dated of await Promise.all(some)) if (dated !== undefined) found.push(dated);
    }
    return found;
  } catch (error) {
    // The directory was removed, or replaced by a link.
    if (error instanceof ToolError) return [];
    throw error;
  }
}

async function lookUpFile(file: string, directory: string): Promise<DatedFile | undefined> {
  const stats = await lstat(path.join(directory, path.basename(file))).catch(() => undefined);
  return stats?.isFile() ? { file, changedAt: stats.mtimeMs } : undefined;
}
