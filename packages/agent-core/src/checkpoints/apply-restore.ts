import { constants } from "node:fs";
import { lstat, open, unlink } from "node:fs/promises";
import path from "node:path";
import { ToolError } from "../errors/tool-error.js";
import { toFileError } from "../workspace/file-error.js";
import { checkPathUnchanged, openRegularFile, pathOf } from "../workspace/open-regular-file.js";
import { replaceFile } from "../workspace/replace-file.js";
import { versionOf } from "../workspace/text-file.js";
import { toWorkspacePath } from "./current-file.js";

const { O_RDONLY, O_DIRECTORY = 0, O_NOFOLLOW = 0 } = constants;

/** Saved content of a file, and the version of the current file that it replaces. */
export interface SavedContent {
  readonly bytes: Buffer;
  readonly mode: number;
  /** Version of the current file; undefined if the file does not exist. */
  readonly expectedVersion: string | undefined;
}

/** Writes the saved content and mode of a file. Throws if the file no longer has the expected version. */
export async function writeSavedFile(
  file: string,
  { bytes, mode, expectedVersion }: SavedContent,
): Promise<void> {
  await replaceFile(toWorkspacePath(file), {
    bytes,
    expectedVersion,
    // Only this user can read the file until its mode is restored.
    openTemporary: (temporary) => open(temporary, "wx", 0o600),
  });
  const handle = await openRegularFile(toWorkspacePath(file));
  try {
    await handle.chmod(mode);
  } catch (error) {
    throw toFileError(error, file);
  } finally {
    await handle.close();
  }
}

/**
 * Removes a file that did not exist before the turn. The directory is opened first, so that a link cannot
 * redirect the removal. Throws if the file no longer has the given version.
 */
export async function removeNewFile(file: string, version: string): Promise<void> {
  const directory = path.dirname(file);
  try {
    const held = await open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    try {
      await checkPathUnchanged(held, toWorkspacePath(directory));
      const target = path.join(pathOf(held, directory), path.basename(file));
      const stats = await lstat(target, { bigint: true });
      if (!stats.isFile() || versionOf(stats) !== version) {
        throw new ToolError(
          "file_changed",
          `${file} has changed in the meantime; it was not removed`,
        );
      }
      await unlink(target);
    } finally {
      await held.close();
    }
  } catch (error) {
    throw toFileError(error, file);
  }
}
