import { access, constants, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { isBelow } from "../../../workspace/follow-links.js";
import type { Workspace } from "../../../workspace/workspace.js";

/** Directories that are searched for bash if no directory in `PATH` contains it. */
const USUAL_DIRECTORIES = ["/bin", "/usr/bin", "/usr/local/bin"];

/**
 * Finds the shell that runs commands. It is the first bash in `PATH` or in {@link USUAL_DIRECTORIES}. If
 * there is no bash, it is `/bin/sh`. A bash inside the workspace is skipped, because the agent could have
 * written it to change the effect of approved commands (SEC-07).
 */
export async function findShell(
  environment: Readonly<Record<string, string>>,
  workspace: Workspace,
): Promise<string> {
  const named = (environment.PATH ?? "").split(path.delimiter).filter(path.isAbsolute);
  for (const directory of [...named, ...USUAL_DIRECTORIES]) {
    const file = path.join(directory, "bash");
    if (await isUsable(file, workspace)) return file;
  }
  return "/bin/sh";
}

async function isUsable(file: string, workspace: Workspace): Promise<boolean> {
  try {
    const paths = [path.dirname(file), file];
    const real = await Promise.all(paths.map((each) => realpath(each)));
    const named = await workspace.resolve(file);
    if (named.isInside || [...paths, ...real].some((each) => isBelow(workspace.root, each))) {
      return false;
    }
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
