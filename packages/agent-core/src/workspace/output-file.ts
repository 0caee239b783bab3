import { type FileHandle, mkdir, open, rm } from "node:fs/promises";
import path from "node:path";
import { toFileError } from "./file-error.js";

/** Keeps all that a command prints, as it was printed. */
export interface OutputFile {
  readonly path: string;
  /** Everything that was printed, kept or not. */
  readonly totalBytes: number;
  /** Why not all of it could be kept. */
  readonly failure: unknown;
  write(chunk: Buffer): Promise<void>;
  /** Ends the writing; the file stays only where it is wanted. */
  close(options: { readonly isWanted: boolean }): Promise<void>;
}

/** Where output is kept. */
export interface OutputFileOptions {
  readonly path: string;
  /** Up to here nothing touches the disk: most commands print little. */
  readonly memoryBytes: number;
  /** For tests: opens the file. */
  readonly openFile?: (file: string) => Promise<FileHandle>;
}

/** Opens a place for output; the file appears when there is enough of it. Whoever opened closes. */
export function openOutputFile(options: OutputFileOptions): OutputFile {
  const { path: file, memoryBytes, openFile = openPrivate } = options;
  const waiting: Buffer[] = [];
  let handle: FileHandle | undefined;
  let totalBytes = 0;
  let failure: unknown;

  async function flush(): Promise<void> {
    if (failure !== undefined) return;
    try {
      handle ??= await openFile(file);
      for (const chunk of waiting.splice(0)) await handle.writeFile(chunk);
    } catch (error) {
      // The command goes on: what it printed is not all lost, and what it does may matter more.
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
      waiting.push(chunk);
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
