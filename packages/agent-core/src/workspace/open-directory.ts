import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { ToolError } from "../errors/tool-error.js";
import { toFileError } from "./file-error.js";
import { checkPathUnchanged, childPathOf, pathOf } from "./open-regular-file.js";
import type { WorkspacePath } from "./workspace.js";

const { O_RDONLY, O_DIRECTORY = 0, O_NOFOLLOW = 0 } = constants;

/** An open directory. */
export interface OpenedDirectory extends AsyncDisposable {
  /**
   * A path to this directory that stays valid if the directory is renamed or replaced. On systems
   * other than Linux it is the ordinary path.
   */
  readonly path: string;
  /** A path by which a child process can open this directory; otherwise like `path`. */
  readonly childPath: string;
}

/**
 * Opens a directory for reading; dispose of it with `await using`.
 *
 * The caller has resolved and checked the path. Throws if the directory, or a directory above it, has
 * been replaced by a link since then.
 */
export async function openDirectory(directory: WorkspacePath): Promise<OpenedDirectory> {
  try {
    const handle = await open(directory.absolute, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    try {
      await checkPathUnchanged(handle, directory);
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

// Builds the error for a path that is a file. On systems without O_DIRECTORY, `open` also opens files.
function notDirectory({ display }: WorkspacePath): ToolError {
  return new ToolError("not_a_directory", `${display} is not a directory`);
}
