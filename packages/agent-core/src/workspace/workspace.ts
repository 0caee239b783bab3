import { realpath } from "node:fs/promises";
import path from "node:path";

/** A place in the file system, seen from a workspace. */
export interface WorkspacePath {
  /** The absolute path with every link resolved. */
  readonly absolute: string;
  /** The path to show: relative inside the workspace, absolute outside. */
  readonly display: string;
  /** Whether it lies inside the workspace. */
  readonly isInside: boolean;
}

/** The directory that the agent works in, and a boundary. */
export interface Workspace {
  readonly root: string;
  /** Resolves a path, relative to the root, through every link. The file need not exist. */
  resolve(file: string): Promise<WorkspacePath>;
}

/** Opens a workspace on an existing directory. */
export async function openWorkspace(directory: string): Promise<Workspace> {
  const root = await realpath(directory);
  return {
    root,
    async resolve(file) {
      const absolute = await realpathOfFuture(path.resolve(root, file));
      const relative = path.relative(root, absolute);
      const isInside =
        relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
      return { absolute, isInside, display: isInside ? relative || "." : absolute };
    },
  };
}

// A file that does not exist yet lies where its nearest existing parent really is.
async function realpathOfFuture(absolute: string): Promise<string> {
  try {
    return await realpath(absolute);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ENOTDIR") throw error;
    const parent = path.dirname(absolute);
    if (parent === absolute) return absolute;
    return path.join(await realpathOfFuture(parent), path.basename(absolute));
  }
}
