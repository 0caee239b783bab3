import path from "node:path";
import { isBelow } from "../workspace/follow-links.js";
import { isKeptByDefault } from "../workspace/processes/clean-environment.js";
import type { Workspace } from "../workspace/workspace.js";
import { affectsPrograms } from "./affects-programs.js";
import { followWord } from "./follow-word.js";

/**
 * Returns true if the environment could make the name of a program start another program. `PATH` is unsafe if
 * it is missing, or has an entry that is relative or leads into the workspace. Any other variable that
 * affects programs is unsafe, unless every child process gets it by default.
 */
export async function isUnsafeEnvironment(
  environment: Readonly<Record<string, string>>,
  workspace: Workspace,
): Promise<boolean> {
  const names = Object.keys(environment);
  if (names.some((name) => !isKeptByDefault(name) && affectsPrograms(name))) return true;
  const entries = (environment.PATH ?? "").split(path.delimiter);
  for (const entry of entries) {
    if (!path.isAbsolute(entry)) return true;
    const followed = await followWord(workspace.root, entry, workspace);
    const named = await workspace.resolve(entry);
    const leadsInside = followed === undefined || isBelow(workspace.root, followed.absolute);
    if (leadsInside || named.isInside) return true;
  }
  return false;
}
