import type { Stats } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { SettingsError } from "../settings-error.js";
import type { StampedFile } from "./file-cache.js";

const MAX_FILE_BYTES = 1_000_000;

/**
 * Finds the size and time of a settings file. Resolves with undefined if the path does not exist or is not a
 * file.
 */
export async function findFileStats(file: string): Promise<Stats | undefined> {
  try {
    const stats = await stat(file);
    return stats.isFile() ? stats : undefined;
  } catch (reason) {
    const { code } = reason as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw unreadable(file, reason);
  }
}

/** Reads a settings file; throws {@link SettingsError} if it is too large or cannot be read. */
export async function readBounded({ file, stats }: StampedFile): Promise<string> {
  if (stats.size > MAX_FILE_BYTES) {
    const problem = `is larger than ${MAX_FILE_BYTES} bytes`;
    throw new SettingsError([{ file, key: "", problem }]);
  }
  return await readFile(file, "utf8").catch((reason: unknown) => {
    throw unreadable(file, reason);
  });
}

/** Reads a settings file that a variable names; throws {@link SettingsError} if it does not exist. */
export async function readNamedFile(variable: string, file: string): Promise<string> {
  const stats = await findFileStats(file);
  if (stats !== undefined) return await readBounded({ file, stats });
  throw new SettingsError([{ file: variable, key: "", problem: `there is no file ${file}` }]);
}

function unreadable(file: string, cause: unknown): SettingsError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new SettingsError([{ file, key: "", problem: `cannot be read: ${reason}` }], { cause });
}
