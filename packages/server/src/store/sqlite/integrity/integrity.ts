import { StoreFault } from "../../store-fault.js";
import { createDamagedSessions, type DamagedSessions } from "./damaged-sessions.js";
import type { FileWatch } from "./file-watch.js";
import { classifySqliteError } from "./sqlite-error.js";

/** Guards the reads and writes of a database, and reacts to damage. */
export interface Integrity {
  readonly damaged: DamagedSessions;
  /** Runs a read. A damaged row closes its session; a damaged page or an I/O error makes the store read-only. */
  read<TValue>(work: () => TValue): TValue;
  /** Runs a write. Throws if the store is read-only or its files are gone. */
  write(work: () => void): void;
  /**
   * Runs a write that makes the database grow, which shows that the disk has space. If `shouldCheckFiles` is true, the
   * files are checked first. If it is false, only the result of the last check counts.
   */
  append(work: () => void, shouldCheckFiles: boolean): void;
  /** Throws if a commit could not be written now. */
  check(): void;
  /** Runs a scan in slices, with pauses between them. */
  startScan(slices: Iterator<void>): void;
  close(): void;
}

/** Options of {@link createIntegrity}. */
export interface IntegrityOptions {
  readonly file: string;
  readonly watch: Pick<FileWatch, "check" | "rethrow">;
  /** Writes a row and deletes it; throws if a commit could not be written. */
  tryWrite(): void;
  /** Called once for each damaged session, and once when the store becomes read-only. */
  onFault(fault: StoreFault): void;
}

/** Pause between two slices of a scan. */
const SCAN_PAUSE_MS = 10;

/** Creates the guard of a database. */
export function createIntegrity(options: IntegrityOptions): Integrity {
  const { file, watch, tryWrite, onFault } = options;
  const damaged = createDamagedSessions(onFault);
  let damage: StoreFault | undefined;
  let isFailing = false;
  let pause: NodeJS.Timeout | undefined;

  /** Records the damage that an error reports, and returns the error for the caller. */
  function recordFault(error: unknown): unknown {
    damaged.note(error);
    const kind = classifySqliteError(error);
    if (kind === "full") {
      const message = `the disk is full, and ${file} cannot grow; nothing was stored; free some space and try again`;
      return new StoreFault("disk-full", message, { cause: error });
    }
    if (kind !== "damaged") return error;
    if (damage === undefined) {
      const message = `${file} is damaged or cannot be read (${messageOf(error)}); nothing more is written to it; restore a backup`;
      damage = new StoreFault("store-damaged", message, { cause: error });
      onFault(damage);
    }
    return damage;
  }

  function attempt<TValue>(work: () => TValue, onError: (error: unknown) => void): TValue {
    try {
      return work();
    } catch (error) {
      onError(error);
      throw recordFault(error);
    }
  }

  function writeUnchecked(work: () => void): void {
    if (damage !== undefined) throw damage;
    attempt(work, (error) => {
      // A violated constraint is a fault of the commit, not of the file.
      const kind = classifySqliteError(error);
      isFailing ||= kind === "full" || kind === "failing";
    });
  }

  function append(work: () => void, shouldCheckFiles: boolean): void {
    if (shouldCheckFiles) watch.check();
    else watch.rethrow();
    writeUnchecked(work);
    isFailing = false;
  }

  function scanNext(slices: Iterator<void>): void {
    try {
      if (
        attempt(
          () => slices.next(),
          () => {},
        ).done
      )
        return;
    } catch {
      // The store is read-only now, and later writes throw.
      return;
    }
    pause = setTimeout(() => scanNext(slices), SCAN_PAUSE_MS).unref();
  }

  return {
    damaged,
    read: (work) => attempt(work, () => {}),
    write(work) {
      watch.check();
      writeUnchecked(work);
    },
    append,
    check() {
      if (damage !== undefined) throw damage;
      watch.check();
      // If an earlier write failed, only another write can show whether the cause is gone.
      if (isFailing) append(tryWrite, true);
    },
    startScan: scanNext,
    close: () => clearTimeout(pause),
  };
}

function messageOf(cause: unknown): string {
  return (cause instanceof Error ? cause.message : String(cause)).replace(/\s+/g, " ");
}
