import { type FileHandle, mkdir, open, rm } from "node:fs/promises";
import path from "node:path";
import { toFileError } from "./file-error.js";

/** Stores the complete output of a command. */
export interface OutputFile {
  readonly path: string;
  /** Number of bytes that the command has printed, including bytes that could not be stored. */
  readonly totalBytes: number;
  /** The error that prevented storing the complete output; undefined if there was none. */
  readonly failure: unknown;
  write(chunk: Buffer): Promise<void>;
  /** Stores the rest of the output and closes the file. If `isWanted` is false, deletes the file instead. */
  close(options: { readonly isWanted: boolean }): Promise<void>;
}

/** Options of {@link openOutputFile}. */
export interface OutputFileOptions {
  readonly path: string;
  /** Output up to this size stays in memory, because most commands print little. */
  readonly memoryBytes: number;
  /** Opens the file. Tests replace this function. */
  readonly openFile?: (file: string) => Promise<FileHandle>;
}

/**
 * Opens the output of a command; the caller closes it. The file is created on disk when the output exceeds
 * `memoryBytes`, or else by `close` if `isWanted` is true.
 */
export function openOutputFile(options: OutputFileOptions): OutputFile {
  const { path: file, memoryBytes, openFile = openPrivate } = options;
  const unwritten: Buffer[] = [];
  let handle: FileHandle | undefined;
  let totalBytes = 0;
  let failure: unknown;

  async function flush(): Promise<void> {
    if (failure !== undefined) return;
    try {
      handle ??= await openFile(file);
      for (const chunk of unwritten.splice(0)) await handle.writeFile(chunk);
    } catch (error) {
      // The error is only recorded, so that the command continues although its output is not stored.
      failure = toFileError(error, file);
    }
  }

  return {
    path: file,
    get totalBytes() {
      return totalBytes;
    },
    get failure() {
      return failure;
    },
    async write(chunk) {
      totalBytes += chunk.length;
      if (failure !== undefined) return;
      unwritten.push(chunk);
      if (totalBytes > memoryBytes) await flush();
    },
    async close({ isWanted }) {
      if (isWanted) await flush();
      await handle?.close();
      if (handle !== undefined && !isWanted) await rm(file, { force: true });
    },
  };
}

async function openPrivate(file: string): Promise<FileHandle> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  return await open(file, "wx", 0o600);
}
