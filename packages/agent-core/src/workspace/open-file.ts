import { constants } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";
import { ToolError } from "../errors/tool-error.js";
import { toFileError } from "./file-error.js";
import type { WorkspacePath } from "./workspace.js";

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/**
 * Opens a regular file for reading; the caller closes it.
 *
 * The path was resolved and judged before: a link that has taken its place, or the place of one of
 * its directories, is refused. So is anything that could block or never end, as a pipe or a device.
 */
export async function openFile(file: WorkspacePath): Promise<FileHandle> {
  let handle: FileHandle | undefined;
  try {
    // Without O_NONBLOCK the opening of a named pipe would wait for somebody to write.
    handle = await open(file.absolute, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    await checkPlace(handle, file);
    const stats = await handle.stat();
    if (stats.isDirectory()) {
      throw new ToolError("is_a_directory", `${file.display} is a directory: use list_directory`);
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

/** Throws where what was opened does not lie where the path was when it was judged. */
export async function checkPlace(handle: FileHandle, file: WorkspacePath): Promise<void> {
  if ((await realpath(pathOf(handle, file.absolute))) === file.absolute) return;
  throw new ToolError(
    "file_changed",
    `${file.display} was replaced by a link that leads elsewhere; nothing was done`,
  );
}

/** A path to what a handle holds, whatever has become of its name since. Linux only; else the name. */
export function pathOf(handle: FileHandle, name: string): string {
  return process.platform === "linux" ? `/proc/self/fd/${handle.fd}` : name;
}

/** The same for a program that we start, whose own handles are others. */
export function childPathOf(handle: FileHandle, name: string): string {
  return process.platform === "linux" ? `/proc/${process.pid}/fd/${handle.fd}` : name;
}
