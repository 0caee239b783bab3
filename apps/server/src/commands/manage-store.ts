import { createReadStream, createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ProtocolError } from "@dt/schema";
import { type BackupRow, decodeBackup, encodeBackup, exportTask, SetupError } from "@dt/server";
import type { StoreArgs } from "../args.js";
import { openBackupStore, openCommandStore, type StoreEnv } from "../open-server-store.js";

/** Options of {@link manageStore}. */
export interface ManageStoreOptions {
  readonly env: StoreEnv;
  readonly now: Date;
  /** Directory to which relative paths refer. */
  readonly startDirectory: string;
}

/** Migrates, backs up or restores the store, or exports a task. Yields the text to print, in pieces. */
export async function* manageStore(
  args: StoreArgs,
  options: ManageStoreOptions,
): AsyncGenerator<string> {
  const { env, startDirectory } = options;
  switch (args.type) {
    case "migrate": {
      const store = await openCommandStore(env, { isShared: true });
      await store.close();
      yield "the store has the version of this dt\n";
      return;
    }
    case "export-task":
      yield* exportOne(args.taskId, env);
      return;
    case "backup":
      yield await backUp(path.resolve(startDirectory, args.file), options);
      return;
    case "restore":
      yield await restore(path.resolve(startDirectory, args.file), args.replaces, options);
  }
}

async function* exportOne(taskId: string, env: StoreEnv): AsyncGenerator<string> {
  const store = await openCommandStore(env, { isShared: true });
  try {
    yield* exportTask(store, taskId);
  } catch (error) {
    if (error instanceof ProtocolError) throw new SetupError(error.message, { cause: error });
    throw error;
  } finally {
    await store.close();
  }
}

/** Writes a file beside the backup first, so that an interrupted backup does not replace an earlier one. */
async function backUp(file: string, { env, now }: ManageStoreOptions): Promise<string> {
  const store = await openBackupStore(env);
  const partial = `${file}.partial`;
  let rows = 0;
  const count = async function* (): AsyncGenerator<BackupRow> {
    for await (const row of store.read()) {
      rows += 1;
      yield row;
    }
  };
  try {
    const lines = Readable.from(encodeBackup(count(), now.toISOString()), { highWaterMark: 64 });
    await pipeline(lines, createWriteStream(partial, { mode: 0o600, flush: true })).catch(
      (cause: unknown) => {
        throw toFileFault(partial, cause);
      },
    );
    await rename(partial, file);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  } finally {
    await store.close();
  }
  return `${rows} rows are in ${file}; it contains conversations, so keep it as safe as the store\n`;
}

async function restore(
  file: string,
  replaces: boolean,
  { env }: ManageStoreOptions,
): Promise<string> {
  const input = await openFile(file);
  const store = await openBackupStore(env);
  let rows = 0;
  const count = async function* (): AsyncGenerator<BackupRow> {
    // The interface is created here, because lines that it reads before the iteration begins would be lost.
    const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
    for await (const row of decodeBackup(lines, file)) {
      rows += 1;
      yield row;
    }
  };
  try {
    await store.restore(count(), { replaces });
  } finally {
    input.destroy();
    await store.close();
  }
  return `${rows} rows were restored from ${file}\n`;
}

async function openFile(file: string) {
  const input = createReadStream(file);
  await new Promise<void>((resolve, reject) => {
    input.once("open", () => resolve());
    input.once("error", (cause) => reject(toFileFault(file, cause)));
  });
  return input;
}

/** Converts an error of the file system to one line for the operator. */
function toFileFault(file: string, cause: unknown): unknown {
  const { code, message } = cause as NodeJS.ErrnoException;
  return code?.startsWith("E") === true && cause instanceof Error && "syscall" in cause
    ? new SetupError(`${file} cannot be used: ${message}; choose another file`, { cause })
    : cause;
}
