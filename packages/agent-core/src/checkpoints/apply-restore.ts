import { constants } from "node:fs";
import { lstat, open, unlink } from "node:fs/promises";
import path from "node:path";
import { ToolError } from "../errors/tool-error.js";
import { toFileError } from "../workspace/file-error.js";
import { checkPathUnchanged, openRegularFile, pathOf } from "../workspace/open-regular-file.js";
import { replaceFile } from "../workspace/replace-file.js";
import { versionOf } from "../workspace/text-file.js";
import { placeOf } from "./current-file.js";

const { O_RDONLY, O_DIRECTORY = 0, O_NOFOLLOW = 0 } = constants;

/** What a file becomes. */
export interface PutBack {
  readonly bytes: Buffer;
  readonly mode: number;
  /** The version that is there; undefined where there is none. */
  readonly over: string | undefined;
}

/** Writes a file as it was, its mode included. One that changed since it was looked at is left alone. */
export async function putFileBack(file: string, { bytes, mode, over }: PutBack): Promise<void> {
  await replaceFile(placeOf(file), {
    bytes,
    over,
    // Nobody else may read it before it has its own mode again.
    openTemporary: (temporary) => open(temporary, "wx", 0o600),
  });
  const handle = await openRegularFile(placeOf(file));
  try {
    await handle.chmod(mode);
  } catch (error) {
    throw toFileError(error, file);
  } finally {
    await handle.close();
  }
}

/**
 * Removes a file that was not there before. Its directory is held open meanwhile, so a link that takes its
 * place changes nothing; a file that is no longer the one that was looked at is left alone.
 */
export async function removeFile(file: string, version: string): Promise<void> {
  const directory = path.dirname(file);
  try {
    const held = await open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    try {
      await checkPathUnchanged(held, placeOf(directory));
      const target = path.join(pathOf(held, directory), path.basename(file));
      const stats = await lstat(target, { bigint: true });
      if (!stats.isFile() || versionOf(stats) !== version) {
        throw new ToolError("file_changed", `${file} changed meanwhile; it was left alone`);
      }
      await unlink(target);
    } finally {
      await held.close();
    }
  } catch (error) {
    throw toFileError(error, file);
  }
}
