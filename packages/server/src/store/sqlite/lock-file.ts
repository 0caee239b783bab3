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
  const lock = new Database(`${file}.lock`);
  try {
    lock.exec("BEGIN EXCLUSIVE");
  } catch (cause) {
    lock.close();
    throw new SetupError(
      `${file} is in use by another process; stop it or choose another DT_DATA_DIR`,
      { cause },
    );
  }
  return {
    release() {
      lock.exec("ROLLBACK");
      lock.close();
    },
  };
}
