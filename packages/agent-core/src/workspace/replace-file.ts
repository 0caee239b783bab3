import { randomUUID } from "node:crypto";
import { type BigIntStats, constants } from "node:fs";
import { access, type FileHandle, lstat, mkdir, open, rename, rm } from "node:fs/promises";
import path from "node:path";
import { ToolError } from "../errors/tool-error.js";
import { isMissing, toFileError } from "./file-error.js";
import { checkPlace, pathOf } from "./open-file.js";
import { versionOf } from "./text-file.js";
import type { WorkspacePath } from "./workspace.js";

const { O_RDONLY, O_DIRECTORY = 0, O_NOFOLLOW = 0 } = constants;

/** What is written, and over what. */
export interface Replacement {
  readonly bytes: Buffer;
  /** The version that was read; undefined where there was no file. */
  readonly over: string | undefined;
  /** For tests: opens the temporary file. */
  readonly openTemporary?: (file: string, mode: number) => Promise<FileHandle>;
}

/**
 * Writes a whole file so that nobody ever sees half of it; keeps its mode.
 *
 * The directory is held open while its place is checked and the file put into it, so a link that takes
 * its place in between changes nothing. A file that is no longer the one that was read is left alone.
 */
export async function replaceFile(file: WorkspacePath, replacement: Replacement): Promise<void> {
  const directory = path.dirname(file.absolute);
  try {
    const held = await openDirectory(directory, file);
    try {
      await replaceIn(pathOf(held, directory), file, replacement);
    } finally {
      await held.close();
    }
  } catch (error) {
    throw toFileError(error, file.display);
  }
}

/**
 * Opens a directory, made where it does not exist, and checks its place; the caller closes it.
 *
 * Each one is made inside its parent, which is held open and whose place was checked: nothing is ever
 * made behind a link. Where the system gives no path to what is held (only Linux does), a link that
 * comes between the check and the making is noticed only afterwards.
 */
async function openDirectory(directory: string, file: WorkspacePath): Promise<FileHandle> {
  const held = await openHeld(directory).catch((error) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  const handle = held ?? (await makeDirectory(directory, file));
  try {
    await checkPlace(handle, { ...file, absolute: directory });
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function makeDirectory(directory: string, file: WorkspacePath): Promise<FileHandle> {
  const parent = await openDirectory(path.dirname(directory), file);
  try {
    const made = path.join(pathOf(parent, path.dirname(directory)), path.basename(directory));
    await mkdir(made).catch((error) => {
      // Somebody else was faster; what it is shows when it is opened.
      if (error.code !== "EEXIST") throw error;
    });
    return await openHeld(made);
  } finally {
    await parent.close();
  }
}

async function openHeld(directory: string): Promise<FileHandle> {
  return await open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
}

async function replaceIn(
  directory: string,
  file: WorkspacePath,
  { bytes, over, openTemporary = openExclusive }: Replacement,
): Promise<void> {
  const target = path.join(directory, path.basename(file.absolute));
  const temporary = path.join(directory, `.${randomUUID()}.tmp`);
  try {
    const replaced = await findStats(target);
    // Renaming over a file needs no right to write it; the person who took that right away meant it.
    if (replaced?.isFile() === true) await access(target, constants.W_OK);
    // Nobody else may read it before it has the mode of the file that it replaces.
    const handle = await openTemporary(temporary, replaced === undefined ? 0o666 : 0o600);
    try {
      await handle.writeFile(bytes);
      if (replaced !== undefined) await keepOwnerAndMode(handle, replaced);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await checkVersion(target, file, over);
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function openExclusive(file: string, mode: number): Promise<FileHandle> {
  return await open(file, "wx", mode);
}

async function keepOwnerAndMode(handle: FileHandle, replaced: BigIntStats): Promise<void> {
  const made = await handle.stat({ bigint: true });
  if (made.uid !== replaced.uid || made.gid !== replaced.gid) {
    // Only the superuser may give a file away; the others become its owner, as with any editor.
    await handle.chown(Number(replaced.uid), Number(replaced.gid)).catch(() => undefined);
  }
  await handle.chmod(Number(replaced.mode) & 0o7777);
}

async function checkVersion(
  target: string,
  { display }: WorkspacePath,
  over: string | undefined,
): Promise<void> {
  const stats = await findStats(target);
  if ((stats && versionOf(stats)) === over && stats?.isSymbolicLink() !== true) return;
  throw new ToolError(
    "file_changed",
    `${display} changed while it was being edited; nothing was written: read it again`,
  );
}

async function findStats(target: string): Promise<BigIntStats | undefined> {
  try {
    return await lstat(target, { bigint: true });
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
