import type { Stats } from "node:fs";

/** A cache of the results of reading files. All sessions of the process share it. */
export interface FileCache<TValue> {
  /** Finds the result that was stored for the same files in the same state. */
  find(files: readonly StampedFile[]): TValue | undefined;
  set(files: readonly StampedFile[], value: TValue): void;
}

/** A file and its state before it was read. */
export interface StampedFile {
  readonly file: string;
  readonly stats: Pick<Stats, "ino" | "size" | "mtimeMs" | "ctimeMs">;
}

/** Creates an empty cache. If it has more than `maxResults`, it drops the least recently used result. */
export function createFileCache<TValue>(maxResults = 32): FileCache<TValue> {
  const results = new Map<string, TValue>();

  function put(key: string, value: TValue): void {
    results.delete(key);
    results.set(key, value);
    const [oldest] = results.keys();
    if (results.size > maxResults && oldest !== undefined) results.delete(oldest);
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
