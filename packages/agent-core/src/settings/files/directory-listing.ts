import { readdir } from "node:fs/promises";
import path from "node:path";
import { isMissing } from "../../workspace/file-error.js";

/** Returns false if the file's directory was listed and has no such entry, else true. */
export type MayExist = (file: string) => boolean;

/**
 * Reads some directories once, so that callers need not look up every possible file in them. The
 * returned function also returns true for files in other directories, and in directories that cannot be read.
 */
export async function listDirectories(directories: readonly string[]): Promise<MayExist> {
  const names = await Promise.all(directories.map(readNames));
  const listed = new Map(directories.map((directory, index) => [directory, names[index]]));
  return (file) => {
    const entries = listed.get(path.dirname(file));
    return entries === undefined || entries.has(path.basename(file).toLowerCase());
  };
}

const NO_NAMES: ReadonlySet<string> = new Set();

// Reads the names in a directory, in lower case, because some file systems do not distinguish cases.
async function readNames(directory: string): Promise<ReadonlySet<string> | undefined> {
  try {
    return new Set((await readdir(directory)).map((name) => name.toLowerCase()));
  } catch (error) {
    return isMissing(error) ? NO_NAMES : undefined;
  }
}
