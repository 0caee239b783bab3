import { listProcesses, type ProcessEntry, readMarks } from "./process-table.js";

/** Where processes are looked up. */
export interface ProcessSource {
  list(): Promise<readonly ProcessEntry[]>;
  /** The marks that a process carries; undefined if that cannot be told yet. */
  readMarks(pid: number): Promise<readonly string[] | undefined>;
  now(): number;
}

/** The table of processes, read once for everyone who asks at the same time. */
export interface SharedProcesses {
  /** Those that live now. If the table is just being read, this waits for the next reading. */
  current(): Promise<readonly ProcessEntry[]>;
  /** Those that lived at most so many milliseconds ago. */
  recent(maxAgeMs: number): Promise<readonly ProcessEntry[]>;
  /** The marks that a process carries, if it was read already, else a promise of them. */
  marksOf(entry: ProcessEntry): readonly string[] | Promise<readonly string[]>;
}

interface Reading {
  readonly startedAt: number;
  readonly entries: Promise<readonly ProcessEntry[]>;
  isDone: boolean;
}

/** Creates a table over a source; commands of one process share {@link processes}. */
export function createSharedProcesses(source: ProcessSource): SharedProcesses {
  let last: Reading | undefined;
  /** Begins when `last` is done, for all who asked meanwhile. */
  let following: Promise<readonly ProcessEntry[]> | undefined;
  /** By identity. What a process does not carry, it cannot inherit later. */
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
    following = undefined;
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
      following ??= readNext(last);
      return await following;
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

/** A process among all that ever were: its pid alone may be another's later. */
export function identityOf({ pid, startedAt }: ProcessEntry): string {
  return `${pid}:${startedAt}`;
}

/** The processes of this system. */
export const processes = createSharedProcesses({
  list: listProcesses,
  readMarks,
  now: () => performance.now(),
});
