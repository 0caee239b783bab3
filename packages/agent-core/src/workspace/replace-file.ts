import { randomUUID } from "node:crypto";
import { type BigIntStats, constants } from "node:fs";
import { access, type FileHandle, lstat, mkdir, open, rename, rm } from "node:fs/promises";
import path from "node:path";
import { ToolError } from "../errors/tool-error.js";
import { isMissing, toFileError } from "./file-error.js";
import { checkPathUnchanged, pathOf } from "./open-regular-file.js";
import { versionOf } from "./text-file.js";
import type { WorkspacePath } from "./workspace.js";

const { O_RDONLY, O_DIRECTORY = 0, O_NOFOLLOW = 0 } = constants;

/** The new content of a file, and the version that it replaces. */
export interface Replacement {
  readonly bytes: Buffer;
  /** Version of the file when it was read; undefined if the file did not exist. */
  readonly expectedVersion: string | undefined;
  /** Opens the temporary file. Tests replace this function. */
  readonly openTemporary?: (file: string, mode: number) => Promise<FileHandle>;
}

/**
 * Writes a whole file atomically and keeps its mode. Throws if the file has changed since it was read.
 *
 * The directory stays open while its path is checked and the new file is renamed into it. A link that
 * replaces the directory during that time has no effect.
 */
export async function replaceFile(file: WorkspacePath, replacement: Replacement): Promise<void> {
  const directory = path.dirname(file.absolute);
  try {
    const opened = await openOrCreateDirectory(directory, file);
    try {
      await replaceInDirectory(pathOf(opened, directory), file, replacement);
    } finally {
      await opened.close();
    }
  } catch (error) {
    throw toFileError(error, file.display);
  }
}

/**
 * Opens a directory, creates it if it is missing, and checks its path; the caller closes it.
 *
 * Each directory is created inside an open parent whose path was checked, so nothing is created behind
 * a link. This works on Linux only, where `/proc` has a path for each open directory. On other systems, a
 * link that appears between the check and the creation is noticed only afterwards.
 */
async function openOrCreateDirectory(directory: string, file: WorkspacePath): Promise<FileHandle> {
  const opened = await openWithoutLinks(directory).catch((error) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  const handle = opened ?? (await createDirectory(directory, file));
  try {
    await checkPathUnchanged(handle, { ...file, absolute: directory });
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function createDirectory(directory: string, file: WorkspacePath): Promise<FileHandle> {
  const parent = await openOrCreateDirectory(path.dirname(directory), file);
  try {
    const created = path.join(pathOf(parent, path.dirname(directory)), path.basename(directory));
    await mkdir(created).catch((error) => {
      // EEXIST: another process has created something at this path. If that is not a directory, opening it
      // below fails.
      if (error.code !== "EEXIST") throw error;
    });
    return await openWithoutLinks(created);
  } finally {
    await parent.close();
  }
}

async function openWithoutLinks(directory: string): Promise<FileHandle> {
  return await open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
}

async function replaceInDirectory(
  directory: string,
  file: WorkspacePath,
  { bytes, expectedVersion, openTemporary = openExclusive }: Replacement,
): Promise<void> {
  const target = path.join(directory, path.basename(file.absolute));
  const temporary = path.join(directory, `.${randomUUID()}.tmp`);
  try {
    const replaced = await findStats(target);
    // A rename would replace even a read-only file, so the permission is checked explicitly.
    if (replaced?.isFile() === true) await access(target, constants.W_OK);
    // Other users must not be able to read the temporary file before it has the mode of the replaced
    // file.
    const handle = await openTemporary(temporary, replaced === undefined ? 0o666 : 0o600);
    try {
      await handle.writeFile(bytes);
      if (replaced !== undefined) await keepOwnerAndMode(handle, replaced);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await checkVersion(target, file, expectedVersion);
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
  const created = await handle.stat({ bigint: true });
  if (created.uid !== replaced.uid || created.gid !== replaced.gid) {
    // Only root can give the new file the owner of the replaced file. If the agent does not run as root,
    // the new file belongs to the agent's user.
    await handle.chown(Number(replaced.uid), Number(replaced.gid)).catch(() => undefined);
  }
  await handle.chmod(Number(replaced.mode) & 0o7777);
}

async function checkVersion(
  target: string,
  { display }: WorkspacePath,
  expectedVersion: string | undefined,
): Promise<void> {
  const stats = await findStats(target);
  if ((stats && versionOf(stats)) === expectedVersion && stats?.isSymbolicLink() !== true) return;
  throw new ToolError(
    "file_changed",
    `${display} changed while it was being edited, so nothing was written; read the file again`,
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
