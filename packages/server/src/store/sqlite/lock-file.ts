import Database from "libsql";
import { SetupError } from "../../errors/setup-error.js";

/** A hold on a data file. */
export interface FileLock {
  release(): void;
}

/**
 * Keeps every other process away until it is released, or until this process ends in any way. A file
 * of its own, since libsql lets go of a database only when its statements are collected.
 */
export function lockFile(file: string): FileLock {
  let lock: Database.Database | undefined;
  try {
    lock = new Database(`${file}.lock`);
    lock.exec("BEGIN EXCLUSIVE");
  } catch (cause) {
    lock?.close();
    throw toSetupError(file, cause);
  }
  const held = lock;
  return {
    release() {
      held.exec("ROLLBACK");
      held.close();
    },
  };
}

function toSetupError(file: string, cause: unknown): SetupError {
  const message = cause instanceof Error ? cause.message : String(cause);
  return /locked|busy/i.test(message)
    ? new SetupError(
        `${file} is in use by another process; stop it or choose another DT_DATA_DIR`,
        { cause },
      )
    : new SetupError(`${file}.lock cannot be used: ${message}`, { cause });
}
