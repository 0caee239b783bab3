import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { SetupError } from "@dt/schema";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";

/** A lock on a database file or on one of its sessions. */
export interface FileLock {
  release(): void;
}

/**
 * Locks a database against other processes until the lock is released or this process ends. The lock is a separate
 * file, because a lock on the database itself would also block backups.
 */
export function lockFile(file: string): FileLock {
  const held = lock(
    `${file}.lock`,
    `${file} is in use by another process; stop it or choose another DT_DATA_DIR`,
  );
  return { release: () => unlock(held) };
}

/** Locks one session of a shared file. The lock file is deleted on release. */
export function lockSession(file: string, contextId: string): FileLock {
  // The name is a digest, because an id may contain characters that are not allowed in file names.
  const name = createHash("sha256").update(contextId).digest("hex").slice(0, 32);
  const path = `${file}.${name}.lock`;
  const held = lock(
    path,
    `the session ${contextId} is open in another process; close it there first`,
  );
  return {
    release() {
      // The file is deleted while it is still locked. If it were unlocked first, another process could lock it before
      // the deletion.
      rmSync(path, { force: true });
      unlock(held);
    },
  };
}

function lock(path: string, takenMessage: string): DatabaseSyncInstance {
  let held: DatabaseSyncInstance | undefined;
  try {
    held = new DatabaseSync(path);
    held.exec("BEGIN EXCLUSIVE");
    return held;
  } catch (cause) {
    held?.close();
    const { message } = cause as Error;
    const isTaken = /locked|busy/i.test(message);
    throw new SetupError(
      isTaken ? takenMessage : `${path} cannot be used: ${message}; choose another DT_DATA_DIR`,
      { cause },
    );
  }
}

function unlock(held: DatabaseSyncInstance): void {
  held.exec("ROLLBACK");
  held.close();
}
