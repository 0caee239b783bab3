import { constants } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";
import { ToolError } from "../errors/tool-error.js";
import { toFileError } from "./file-error.js";
import type { WorkspacePath } from "./workspace.js";

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/**
 * Opens a regular file for reading; the caller closes it.
 *
 * The caller has resolved and checked the path. Throws if the file, or a directory above it, has been
 * replaced by a link since then. Also throws for pipes and devices, because reading them could block
 * or never end.
 */
export async function openRegularFile(file: WorkspacePath): Promise<FileHandle> {
  let handle: FileHandle | undefined;
  try {
    // Without O_NONBLOCK, opening a named pipe would wait for a writer.
    handle = await open(file.absolute, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    await checkPathUnchanged(handle, file);
    const stats = await handle.stat();
    if (stats.isDirectory()) {
      throw new ToolError("is_a_directory", `${file.display} is a directory; use list_directory`);
    }
    if (!stats.isFile()) {
      throw new ToolError("not_a_file", `${file.display} is a device, pipe or socket, not a file`);
    }
    return handle;
  } catch (error) {
    await handle?.close();
    throw toFileError(error, file.display);
  }
}

/** Throws if the opened file is not at the path that was checked. */
export async function checkPathUnchanged(handle: FileHandle, file: WorkspacePath): Promise<void> {
  if ((await realpath(pathOf(handle, file.absolute))) === file.absolute) return;
  throw new ToolError(
    "file_changed",
    `${file.display} was replaced by a link that leads elsewhere; nothing was done`,
  );
}

/**
 * Returns a path to the open file that stays valid if the file is renamed or replaced. On systems
 * other than Linux it returns `name`.
 */
export function pathOf(handle: FileHandle, name: string): string {
  return process.platform === "linux" ? `/proc/self/fd/${handle.fd}` : name;
}

/** Like {@link pathOf}, but the path is also valid in a child process, which has other file descriptors. */
export function childPathOf(handle: FileHandle, name: string): string {
  return process.platform === "linux" ? `/proc/${process.pid}/fd/${handle.fd}` : name;
}
