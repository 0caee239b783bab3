import { statSync } from "node:fs";
import { StoreFault } from "../../store-fault.js";

/** Notices that the files of a database were deleted or replaced while it is open. */
export interface FileWatch {
  /** Looks; throws a StoreFault unless every path still leads to the file that was opened. */
  check(): void;
  /** Throws what the last look found, without another one. */
  recall(): void;
  close(): void;
}

/** What is watched, and who is told. */
export interface FileWatchOptions {
  /** Files that exist, or that are adopted when they first do. */
  readonly files: readonly string[];
  /** How often to look. */
  readonly everyMs: number;
  /** Called each time files turn out to be gone that were there before. */
  onGone(fault: StoreFault): void;
}

/**
 * Watches by path alone: opening and closing the file a second time would drop the locks of SQLite,
 * which POSIX keeps for each process and file.
 */
export function watchFiles({ files, everyMs, onGone }: FileWatchOptions): FileWatch {
  const opened = new Map<string, string>();
  let gone: StoreFault | undefined;

  function look(): StoreFault | undefined {
    for (const file of files) {
      const found = identityOf(file);
      const known = opened.get(file);
      if (known === undefined && found !== undefined) opened.set(file, found);
      if (known === undefined || known === found) continue;
      const what = found === undefined ? "was deleted" : "was replaced";
      const message = `${file} ${what} while it was in use; nothing more is written. Put it back, or restart`;
      return new StoreFault("store-gone", message);
    }
    return undefined;
  }

  function check(): void {
    const wasGone = gone !== undefined;
    gone = look();
    if (gone !== undefined && !wasGone) onGone(gone);
    recall();
  }

  function recall(): void {
    if (gone !== undefined) throw gone;
  }

  look();
  const timer = setInterval(() => {
    try {
      check();
    } catch {
      // Whoever commits next is told; onGone has been called.
    }
  }, everyMs).unref();
  return { check, recall, close: () => clearInterval(timer) };
}

function identityOf(file: string): string | undefined {
  try {
    const found = statSync(file, { bigint: true, throwIfNoEntry: false });
    return found === undefined || found.nlink === 0n ? undefined : `${found.dev}:${found.ino}`;
  } catch {
    // A directory on the way is gone, or cannot be read any more.
    return undefined;
  }
}
