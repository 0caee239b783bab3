import type { Stats } from "node:fs";
import { lstat, stat } from "node:fs/promises";
import path from "node:path";
import { isMissing } from "../../workspace/file-error.js";

/** Some names to look for in one directory. */
export interface WantedNames {
  readonly directory: string;
  readonly names: readonly string[];
}

/**
 * A result is cached only if the directory's last change is older than this. Two changes in quick succession
 * may have the same modification time, so the second change would not be noticed.
 */
const MIN_AGE_MS = 2_000;

const MAX_REMEMBERED = 256;

interface Remembered {
  readonly stamp: string;
  readonly found: ReadonlySet<string>;
}

/** Results of earlier look-ups. All sessions of the process share them. */
const remembered = new Map<string, Remembered>();

/**
 * Finds the names that exist in a directory, or may exist because they cannot be checked. An earlier result
 * is used again if the directory has not changed since. This saves time, because every new session looks for
 * many files that do not exist.
 */
export async function findNames(
  { directory, names }: WantedNames,
  now: Date,
): Promise<ReadonlySet<string>> {
  const stats = await stat(directory).catch((error: unknown) => error);
  if (isMissing(stats)) return NO_NAMES;
  if (!isStats(stats)) return new Set(names);
  const key = JSON.stringify([directory, names]);
  const stamp = JSON.stringify([stats.dev, stats.ino, stats.mtimeMs, stats.ctimeMs]);
  const known = remembered.get(key);
  if (known?.stamp === stamp) return known.found;
  const exists = await Promise.all(names.map((name) => mayExist(path.join(directory, name))));
  const found = new Set(names.filter((_, index) => exists[index]));
  const changedMs = Math.max(stats.mtimeMs, stats.ctimeMs);
  if (now.getTime() - changedMs > MIN_AGE_MS) remember(key, { stamp, found });
  return found;
}

const NO_NAMES: ReadonlySet<string> = new Set();

function remember(key: string, answer: Remembered): void {
  remembered.delete(key);
  remembered.set(key, answer);
  const [oldest] = remembered.keys();
  if (remembered.size > MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
}

/** Returns true unless the file is known to be missing. */
async function mayExist(file: string): Promise<boolean> {
  try {
    await lstat(file);
    return true;
  } catch (error) {
    return !isMissing(error);
  }
}

function isStats(value: unknown): value is Stats {
  return typeof value === "object" && value !== null && "mtimeMs" in value;
}
