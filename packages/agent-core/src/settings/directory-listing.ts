import { readdir } from "node:fs/promises";
import path from "node:path";
import { isMissing } from "../workspace/file-error.js";

/** True if a file may exist; false only if its directory was read and has no such entry. */
export type MayExist = (file: string) => boolean;

/**
 * Reads some directories once, so that the many files that may be in them need not be looked for one by one.
 * Files elsewhere, or in a directory that cannot be read, may exist.
 */
export async function listDirectories(directories: readonly string[]): Promise<MayExist> {
  const names = await Promise.all(directories.map(readNames));
  const listed = new Map(directories.map((directory, index) => [directory, names[index]]));
  return (file) => {
    const entries = listed.get(path.dirname(file));
    return entries === undefined || entries.has(path.basename(file).toLowerCase());
  };
}

// In lower case, because some file systems do not distinguish cases.
async function readNames(directory: string): Promise<ReadonlySet<string> | undefined> {
  try {
    return new Set((await readdir(directory)).map((name) => name.toLowerCase()));
  } catch (error) {
    return isMissing(error) ? new Set() : undefined;
  }
}
