import { access, constants, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { isBelow } from "../follow-links.js";
import type { Workspace } from "../workspace.js";

/**
 * Finds the first program with this name in these directories. A program inside the workspace is skipped, because
 * the agent could have written it to change the effect of approved commands (SEC-07).
 */
export async function findProgram(
  name: string,
  directories: readonly string[],
  workspace?: Workspace,
): Promise<string | undefined> {
  for (const directory of directories) {
    const file = path.join(directory, name);
    if (await isUsable(file, workspace)) return file;
  }
  return undefined;
}

async function isUsable(file: string, workspace: Workspace | undefined): Promise<boolean> {
  try {
    if (workspace !== undefined && (await isInside(file, workspace))) return false;
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

async function isInside(file: string, workspace: Workspace): Promise<boolean> {
  const paths = [path.dirname(file), file];
  const real = await Promise.all(paths.map((each) => realpath(each)));
  const named = await workspace.resolve(file);
  return named.isInside || [...paths, ...real].some((each) => isBelow(workspace.root, each));
}

/** Returns the absolute directories of the variable `PATH`. */
export function searchPathOf({ PATH }: Readonly<Record<string, string | undefined>>): string[] {
  return (PATH ?? "").split(path.delimiter).filter(path.isAbsolute);
}
