import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { ToolError } from "../errors/tool-error.js";
import { toFileError } from "./file-error.js";
import { checkPlace, childPathOf, pathOf } from "./open-file.js";
import type { WorkspacePath } from "./workspace.js";

const { O_RDONLY, O_DIRECTORY = 0, O_NOFOLLOW = 0 } = constants;

/** A directory that is held open. */
export interface HeldDirectory extends AsyncDisposable {
  /** A path that leads to this very directory, whatever takes its name. Linux only; else the name. */
  readonly path: string;
  /** The same for a program that we start. */
  readonly childPath: string;
}

/**
 * Opens a directory for reading; dispose of it with `await using`.
 *
 * The path was resolved and judged before: a link that has taken its place, or the place of one of the
 * directories above it, is refused.
 */
export async function openDirectory(directory: WorkspacePath): Promise<HeldDirectory> {
  try {
    const handle = await open(directory.absolute, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    try {
      await checkPlace(handle, directory);
      if (!(await handle.stat()).isDirectory()) throw notDirectory(directory);
    } catch (error) {
      await handle.close();
      throw error;
    }
    return {
      path: pathOf(handle, directory.absolute),
      childPath: childPathOf(handle, directory.absolute),
      [Symbol.asyncDispose]: () => handle.close(),
    };
  } catch (error) {
    throw toFileError(error, directory.display);
  }
}

// Systems without O_DIRECTORY open files too.
function notDirectory({ display }: WorkspacePath): ToolError {
  return new ToolError("not_a_directory", `${display} is not a directory`);
}
