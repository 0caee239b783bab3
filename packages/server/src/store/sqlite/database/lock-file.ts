import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { SetupError } from "../../../errors/setup-error.js";

/** A hold on a data file. */
export interface FileLock {
  release(): void;
}

/**
 * Keeps every other process away until it is released, or until this process ends in any way. A file
 * of its own, because a lock on the database would also keep backups from reading it.
 */
export function lockFile(file: string): FileLock {
  const held = hold(
    `${file}.lock`,
    `${file} is in use by another process; stop it or choose another DT_DATA_DIR`,
  );
  return { release: () => letGo(held) };
}

/** The same for one session of a file that several processes share; leaves no file behind. */
export function lockSession(file: string, contextId: string): FileLock {
  // Named by its digest: an id may hold what a file's name may not.
  const name = createHash("sha256").update(contextId).digest("hex").slice(0, 32);
  const lock = `${file}.${name}.lock`;
  const held = hold(lock, `the session ${contextId} is open in another process`);
  return {
    release() {
      // While it is still held: whoever comes next makes a file of its own.
      rmSync(lock, { force: true });
      letGo(held);
    },
  };
}

function hold(lock: string, taken: string): DatabaseSyncInstance {
  let held: DatabaseSyncInstance | undefined;
  try {
    held = new DatabaseSync(lock);
    held.exec("BEGIN EXCLUSIVE");
    return held;
  } catch (cause) {
    held?.close();
    const message = cause instanceof Error ? cause.message : String(cause);
    const isTaken = /locked|busy/i.test(message);
    throw new SetupError(
      isTaken ? taken : `${lock} cannot be used: ${message}; choose another DT_DATA_DIR`,
      { cause },
    );
  }
}

function letGo(held: DatabaseSyncInstance): void {
  held.exec("ROLLBACK");
  held.close();
}
