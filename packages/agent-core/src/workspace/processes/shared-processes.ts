import { MACHINE_CLOCK } from "../../clock.js";
import { listProcesses, type ProcessEntry, readMarks } from "./process-table.js";

/** Reads the processes of the system. */
export interface ProcessSource {
  list(): Promise<readonly ProcessEntry[]>;
  /** Returns the marks of a process; undefined if they are not known yet. */
  readMarks(pid: number): Promise<readonly string[] | undefined>;
  now(): number;
}

/** A process table whose listings are shared by all callers that ask at the same time. */
export interface SharedProcesses {
  /**
   * Returns the running processes. If a listing is in progress, waits for the next listing, because the one
   * in progress may miss new processes.
   */
  current(): Promise<readonly ProcessEntry[]>;
  /** Returns a listing that is at most `maxAgeMs` old. */
  recent(maxAgeMs: number): Promise<readonly ProcessEntry[]>;
  /** Returns the marks of a process, or a promise if the marks have not been read yet. */
  marksOf(entry: ProcessEntry): readonly string[] | Promise<readonly string[]>;
}

interface Reading {
  readonly startedAt: number;
  readonly entries: Promise<readonly ProcessEntry[]>;
  isDone: boolean;
}

/** Creates a process table that reads a source. Commands use the one shared table {@link processes}. */
export function createSharedProcesses(source: ProcessSource): SharedProcesses {
  let last: Reading | undefined;
  /**
   * The next listing. It starts when `last` is done, and all callers that asked until then share it.
   */
  let nextListing: Promise<readonly ProcessEntry[]> | undefined;
  /**
   * Marks by process identity. Once the marks of a process are known, they are not read again, because a
   * process gets no more marks after its start.
   */
  let marks = new Map<string, readonly string[] | Promise<readonly string[]>>();

  function read(): Reading {
    const reading: Reading = { startedAt: source.now(), entries: list(), isDone: false };
    const done = () => {
      reading.isDone = true;
    };
    reading.entries.then(done, done);
    last = reading;
    return reading;
  }

  async function list(): Promise<readonly ProcessEntry[]> {
    const entries = await source.list();
    const living = new Set(entries.map(identityOf));
    marks = new Map([...marks].filter(([identity]) => living.has(identity)));
    return entries;
  }

  async function readNext(after: Reading): Promise<readonly ProcessEntry[]> {
    await after.entries.catch(() => undefined);
    nextListing = undefined;
    return await read().entries;
  }

  async function loadMarks({ pid }: ProcessEntry, identity: string): Promise<readonly string[]> {
    const found = await source.readMarks(pid).catch(() => undefined);
    if (found === undefined) marks.delete(identity);
    else marks.set(identity, found);
    return found ?? [];
  }

  return {
    async current() {
      if (last === undefined || last.isDone) return await read().entries;
      nextListing ??= readNext(last);
      return await nextListing;
    },
    async recent(maxAgeMs) {
      if (last !== undefined && source.now() - last.startedAt <= maxAgeMs)
        return await last.entries;
      return await this.current();
    },
    marksOf(entry) {
      const identity = identityOf(entry);
      const known = marks.get(identity);
      if (known !== undefined) return known;
      const loading = loadMarks(entry, identity);
      marks.set(identity, loading);
      return loading;
    },
  };
}

/** Returns an id that no other process ever gets. The start time is part of it, because pids are reused. */
export function identityOf({ pid, startedAt }: ProcessEntry): string {
  return `${pid}:${startedAt}`;
}

/** The process table of this system. */
export const processes = createSharedProcesses({
  list: listProcesses,
  readMarks,
  now: MACHINE_CLOCK.elapsedMs,
});
