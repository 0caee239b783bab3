import type Database from "libsql";
import { scanRows } from "./scan-rows.js";

/** Whether a database can be relied on. */
export interface Soundness {
  /** Writes; remembers whether that was possible. Refuses once damage was found. */
  write(work: () => void): void;
  /** The same for what needs no room: that it was possible does not mean that a commit would be. */
  writeSmall(work: () => void): void;
  /** Throws where damage was found, or where the last write failed and another one would too. */
  check(): void;
  /** Reads the whole database, a little at a time, beside everything else. */
  startScan(): void;
  close(): void;
}

/** What it watches, and whom it tells. */
export interface SoundnessOptions {
  readonly database: Database.Database;
  readonly file: string;
  /** Writes something and takes it away again; throws where a commit could not be written. */
  tryWrite(): void;
  /** Told once when damage is found. */
  onDamage(error: Error): void;
}

/** The pause between two slices of a scan. */
const PAUSE_MS = 10;

/** Sound until something shows that it is not. */
export function createSoundness(options: SoundnessOptions): Soundness {
  const { database, file, tryWrite, onDamage } = options;
  let damage: Error | undefined;
  let isFailing = false;
  let pause: NodeJS.Timeout | undefined;

  function scanOn(slices: Iterator<void>): void {
    try {
      if (slices.next().done) return;
    } catch (cause) {
      damage = new Error(
        `${file} is damaged (${messageOf(cause)}); nothing more is written to it`,
        { cause },
      );
      onDamage(damage);
      return;
    }
    pause = setTimeout(() => scanOn(slices), PAUSE_MS).unref();
  }

  function writeSmall(work: () => void): void {
    if (damage !== undefined) throw damage;
    try {
      work();
    } catch (error) {
      isFailing ||= isStoreFault(error);
      throw error;
    }
  }

  function write(work: () => void): void {
    writeSmall(work);
    isFailing = false;
  }

  return {
    write,
    writeSmall,
    check() {
      if (damage !== undefined) throw damage;
      // What was in the way may be gone: only a write can tell.
      if (isFailing) write(tryWrite);
    },
    startScan: () => scanOn(scanRows(database)),
    close: () => clearTimeout(pause),
  };
}

// A commit that breaks a rule says nothing about the database.
function isStoreFault(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return String(code).startsWith("SQLITE_") && !String(code).startsWith("SQLITE_CONSTRAINT");
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
