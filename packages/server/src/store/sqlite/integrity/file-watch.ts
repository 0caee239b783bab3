import { statSync } from "node:fs";
import { StoreFault } from "../../store-fault.js";

/** Detects that the files of a database were deleted or replaced while it is open. */
export interface FileWatch {
  /** Checks the files. Throws a StoreFault if one of them was deleted or replaced. */
  check(): void;
  /** Throws the fault that the last check found, if it found one. Does not check again. */
  rethrow(): void;
  close(): void;
}

/** Options of {@link watchFiles}. */
export interface FileWatchOptions {
  /** Paths of the files. A file that does not exist yet is watched after its creation. */
  readonly files: readonly string[];
  /** Interval of the checks. */
  readonly everyMs: number;
  /** Called when a check finds a deleted or replaced file, and the check before it found no fault. */
  onGone(fault: StoreFault): void;
}

/**
 * Watches files by their paths. It does not open them, because closing a second handle would release the locks of
 * SQLite. (POSIX locks belong to a process and a file, not to a handle.)
 */
export function watchFiles({ files, everyMs, onGone }: FileWatchOptions): FileWatch {
  const opened = new Map<string, string>();
  let gone: StoreFault | undefined;

  function findFault(): StoreFault | undefined {
    for (const file of files) {
      const found = identityOf(file);
      const known = opened.get(file);
      if (known === undefined && found !== undefined) opened.set(file, found);
      if (known === undefined || known === found) continue;
      const what = found === undefined ? "was deleted" : "was replaced";
      const message = `${file} ${what} while it was in use; nothing more is written; put it back or restart`;
      return new StoreFault("store-gone", message);
    }
    return undefined;
  }

  function check(): void {
    const wasGone = gone !== undefined;
    gone = findFault();
    if (gone !== undefined && !wasGone) onGone(gone);
    rethrow();
  }

  function rethrow(): void {
    if (gone !== undefined) throw gone;
  }

  findFault();
  const timer = setInterval(() => {
    try {
      check();
    } catch {
      // `onGone` has reported the fault, and the next commit throws it.
    }
  }, everyMs).unref();
  return { check, rethrow, close: () => clearInterval(timer) };
}

function identityOf(file: string): string | undefined {
  try {
    const found = statSync(file, { bigint: true, throwIfNoEntry: false });
    return found && `${found.dev}:${found.ino}`;
  } catch {
    // A directory of the path is gone or no longer readable.
    return undefined;
  }
}
