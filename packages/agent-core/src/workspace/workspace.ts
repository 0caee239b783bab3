import { readlink, realpath } from "node:fs/promises";
import path from "node:path";
import { toFileError } from "./file-error.js";

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
      const absolute = await resolveLinks(path.resolve(root, file), file);
      const relative = path.relative(root, absolute);
      const isInside =
        relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
      return { absolute, isInside, display: isInside ? relative || "." : absolute };
    },
  };
}

async function resolveLinks(absolute: string, display: string): Promise<string> {
  try {
    return await realpathOfFuture(absolute, 0);
  } catch (error) {
    throw toFileError(error, display);
  }
}

// A file that does not exist yet lies where its nearest existing parent really is; a link to nowhere
// lies where it would lead.
async function realpathOfFuture(absolute: string, links: number): Promise<string> {
  try {
    return await realpath(absolute);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if ((code !== "ENOENT" && code !== "ENOTDIR") || links > 40) throw error;
    const parent = path.dirname(absolute);
    if (parent === absolute) return absolute;
    const place = path.join(await realpathOfFuture(parent, links), path.basename(absolute));
    const target = await findLink(place);
    if (target === undefined) return place;
    return await realpathOfFuture(path.resolve(path.dirname(place), target), links + 1);
  }
}

async function findLink(place: string): Promise<string | undefined> {
  try {
    return await readlink(place);
  } catch {
    // No link, or nothing at all.
    return undefined;
  }
}
