import { StoreFault } from "../../store-fault.js";
import { createDamagedSessions, type DamagedSessions } from "./damaged-sessions.js";
import type { FileWatch } from "./file-watch.js";
import { classifySqliteError } from "./sqlite-error.js";

/** Whether a database can be relied on, and what happens if not. */
export interface Soundness {
  readonly damaged: DamagedSessions;
  /** Reads; a damaged row closes its session, a damaged page or an I/O error the whole store. */
  read<TValue>(work: () => TValue): TValue;
  /** Writes; refuses once the store is read-only or its files are gone. */
  write(work: () => void): void;
  /**
   * The same for what makes the database grow: if that is possible, all is well again. `isChecked`:
   * the files are looked at first.
   */
  append(work: () => void, isChecked: boolean): void;
  /** Throws unless a commit could be written now. */
  check(): void;
  /** Takes the steps of a scan, a little at a time, beside everything else. */
  startScan(slices: Iterator<void>): void;
  close(): void;
}

/** What it watches, and who is told. */
export interface SoundnessOptions {
  readonly file: string;
  readonly watch: Pick<FileWatch, "check" | "recall">;
  /** Writes something and takes it away again; throws if a commit could not be written. */
  tryWrite(): void;
  /** Called once for each damaged session, and once when the whole store becomes read-only. */
  onFault(fault: StoreFault): void;
}

/** The pause between two slices of a scan. */
const PAUSE_MS = 10;

/** Sound until something shows that it is not. */
export function createSoundness(options: SoundnessOptions): Soundness {
  const { file, watch, tryWrite, onFault } = options;
  const damaged = createDamagedSessions(onFault);
  let damage: StoreFault | undefined;
  let isFailing = false;
  let pause: NodeJS.Timeout | undefined;

  /** Draws conclusions from an error, and returns what the caller is told. */
  function judge(error: unknown): unknown {
    damaged.note(error);
    const kind = classifySqliteError(error);
    if (kind === "full") {
      const message = `the disk is full, and ${file} cannot grow; nothing was stored, try again when there is room`;
      return new StoreFault("disk-full", message, { cause: error });
    }
    if (kind !== "damaged") return error;
    if (damage === undefined) {
      const message = `${file} is damaged or cannot be read (${messageOf(error)}); nothing more is written to it`;
      damage = new StoreFault("store-damaged", message, { cause: error });
      onFault(damage);
    }
    return damage;
  }

  function attempt<TValue>(work: () => TValue, onError: (kind: unknown) => void): TValue {
    try {
      return work();
    } catch (error) {
      onError(error);
      throw judge(error);
    }
  }

  function writeUnchecked(work: () => void): void {
    if (damage !== undefined) throw damage;
    attempt(work, (error) => {
      // A commit that breaks a rule says nothing about the database.
      const kind = classifySqliteError(error);
      isFailing ||= kind === "full" || kind === "failing";
    });
  }

  function append(work: () => void, isChecked: boolean): void {
    if (isChecked) watch.check();
    else watch.recall();
    writeUnchecked(work);
    isFailing = false;
  }

  function scanOn(slices: Iterator<void>): void {
    try {
      if (
        attempt(
          () => slices.next(),
          () => {},
        ).done
      )
        return;
    } catch {
      // The store is read-only now, and whoever writes is told.
      return;
    }
    pause = setTimeout(() => scanOn(slices), PAUSE_MS).unref();
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
      // What was in the way may be gone: only a write can tell.
      if (isFailing) append(tryWrite, true);
    },
    startScan: scanOn,
    close: () => clearTimeout(pause),
  };
}

function messageOf(cause: unknown): string {
  return (cause instanceof Error ? cause.message : String(cause)).replace(/\s+/g, " ");
}
