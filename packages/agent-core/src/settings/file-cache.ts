import type { Stats } from "node:fs";

/** Results of reading files, which all sessions of the process share. */
export interface FileCache<TValue> {
  /** Finds the result for files in exactly this state. */
  find(files: readonly StampedFile[]): TValue | undefined;
  set(files: readonly StampedFile[], value: TValue): void;
}

/** A file and its state before it was read. */
export interface StampedFile {
  readonly file: string;
  readonly stats: Pick<Stats, "ino" | "size" | "mtimeMs" | "ctimeMs">;
}

/** Number of results; beyond it the least recently used is dropped. */
const MAX_RESULTS = 32;

/** Creates an empty cache. */
export function createFileCache<TValue>(): FileCache<TValue> {
  const results = new Map<string, TValue>();

  function put(key: string, value: TValue): void {
    results.delete(key);
    results.set(key, value);
    const [oldest] = results.keys();
    if (results.size > MAX_RESULTS && oldest !== undefined) results.delete(oldest);
  }

  return {
    find(files) {
      const key = keyOf(files);
      const value = results.get(key);
      if (value !== undefined) put(key, value);
      return value;
    },
    set: (files, value) => put(keyOf(files), value),
  };
}

function keyOf(files: readonly StampedFile[]): string {
  return JSON.stringify(
    files.map(({ file, stats: { ino, size, mtimeMs, ctimeMs } }) => {
      return [file, ino, size, mtimeMs, ctimeMs];
    }),
  );
}
