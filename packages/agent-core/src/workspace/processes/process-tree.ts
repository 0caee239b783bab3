import { execFile } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { MACHINE_CLOCK } from "../../clock.js";
import type { ProcessEntry } from "./process-table.js";
import { identityOf, processes, type SharedProcesses } from "./shared-processes.js";

/** A started process and all of its descendants. */
export interface ProcessTree {
  /** Returns the processes that are running now, as far as they can be found. */
  living(): Promise<readonly ProcessEntry[]>;
  /**
   * Searches for descendants repeatedly until the signal aborts. `living` and `end` then also include
   * descendants that have dropped their marks since they were found.
   */
  watch(signal: AbortSignal): Promise<void>;
  /** Ends all processes, first with SIGTERM and then with SIGKILL; returns those that are still running. */
  end(options: { readonly graceMs: number }): Promise<readonly ProcessEntry[]>;
}

/** The first process of a tree. It leads its process group and was started with the variable `marker`. */
export interface TreeRoot {
  readonly pid: number;
  readonly marker: string;
}

/** Options of {@link openProcessTree}. The defaults are the process table and the clock of this machine. */
export interface TreeOptions {
  readonly table?: SharedProcesses;
  /** Monotonic clock in milliseconds. Measures the time that processes get to end after a signal. */
  readonly elapsedMs?: () => number;
}

const POLL_MS = 20;
/**
 * First pause between two searches for descendants. Each later pause is twice as long as the one before it,
 * up to {@link LAST_WATCH_MS}. The first pause is short, because most processes that detach do so right after
 * their start.
 */
const FIRST_WATCH_MS = 20;
const LAST_WATCH_MS = 1000;
const KILL_MS = 5000;

/**
 * Tracks a process and its descendants by parent, by process group, and by two inherited marks. The
 * marks are a variable and an open file. They identify processes that left the group (`setsid`) and
 * whose parents have ended. The file also identifies processes that cleared their environment.
 *
 * A process that loses its parent, its group and its marks between two searches is not found. Finding
 * it would need rights that the agent does not have (a cgroup) or calls that Node does not offer
 * (a subreaper). The marks are visible on Linux only.
 */
export function openProcessTree(root: TreeRoot, options: TreeOptions = {}): ProcessTree {
  const { table = processes, elapsedMs } = options;
  /**
   * All processes found so far. A process in this map is recognised even after its parent has ended or it has
   * dropped its marks.
   */
  const known = new Map<string, ProcessEntry>();

  async function living(): Promise<readonly ProcessEntry[]> {
    return await find(await table.current());
  }

  async function find(listed: readonly ProcessEntry[]): Promise<readonly ProcessEntry[]> {
    // If this process itself runs in a marked command, it has a mark too, but it is not part of the tree.
    const all = listed.filter(({ pid }) => pid !== process.pid);
    const marks = await Promise.all(all.map((entry) => table.marksOf(entry)));
    const isOurs = (entry: ProcessEntry, index: number) =>
      known.has(identityOf(entry)) ||
      entry.pid === root.pid ||
      entry.group === root.pid ||
      marks[index]?.some((mark) => mark.startsWith(root.marker)) === true;
    const found = new Set(all.filter(isOurs));
    // The loop also visits elements that are added during the loop, so children of children are found too.
    for (const parent of found) {
      for (const entry of all) if (entry.parent === parent.pid) found.add(entry);
    }
    for (const entry of found) known.set(identityOf(entry), entry);
    return [...found];
  }

  return {
    living,
    async watch(signal) {
      for (
        let pauseMs = FIRST_WATCH_MS;
        !signal.aborted;
        pauseMs = Math.min(2 * pauseMs, LAST_WATCH_MS)
      ) {
        await pause(pauseMs, signal);
        // A recent listing is enough, so commands that run at the same time can share a listing.
        if (!signal.aborted) await find(await table.recent(pauseMs / 2));
      }
    },
    async end({ graceMs }) {
      if (process.platform === "win32") return await endOnWindows(root.pid);
      return await endProcesses(living, { graceMs, ...(elapsedMs && { elapsedMs }) });
    },
  };
}

interface EndOptions extends Pick<TreeOptions, "elapsedMs"> {
  readonly graceMs: number;
}

/** Ends all processes, first with SIGTERM and then with SIGKILL; returns those that are still running. */
export async function endProcesses(
  living: ProcessTree["living"],
  { graceMs, elapsedMs = MACHINE_CLOCK.elapsedMs }: EndOptions,
): Promise<readonly ProcessEntry[]> {
  const signalFor = async (signal: NodeJS.Signals, ms: number) => {
    const until = elapsedMs() + ms;
    return await signalUntilGone(living, signal, () => elapsedMs() >= until);
  };
  const left = await signalFor("SIGTERM", graceMs);
  return left.length === 0 ? left : await signalFor("SIGKILL", KILL_MS);
}

/**
 * Number of listings in a row that must be empty before all processes are considered ended. One listing
 * can miss a child that starts while the listing is read and whose parent ends during that time. The
 * next listing includes that child.
 */
const MIN_EMPTY_LISTINGS = 2;

/**
 * Sends the signal to all processes, and to processes that start meanwhile. Stops when none are left or
 * `isOver` returns true, and resolves with the processes that are left.
 */
async function signalUntilGone(
  living: ProcessTree["living"],
  signal: NodeJS.Signals,
  isOver: () => boolean,
): Promise<readonly ProcessEntry[]> {
  const signalled = new Set<string>();
  for (let empty = 0; ; ) {
    const left = await living();
    const fresh = left.filter((entry) => !signalled.has(identityOf(entry)));
    for (const entry of fresh) {
      sendSignal(entry.pid, signal);
      signalled.add(identityOf(entry));
    }
    empty = left.length === 0 ? empty + 1 : 0;
    if (empty === MIN_EMPTY_LISTINGS || isOver()) return left;
    if (empty === 0) await wait(POLL_MS);
  }
}

/** Waits for a time. Resolves early if the signal aborts. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => undefined);
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
    // A stopped process handles SIGTERM only after SIGCONT.
    if (signal === "SIGTERM") process.kill(pid, "SIGCONT");
  } catch {
    // The process has ended, or it belongs to another user. The next listing shows whether it still runs.
  }
}

async function endOnWindows(pid: number): Promise<readonly ProcessEntry[]> {
  // taskkill fails if the process has already ended.
  await promisify(execFile)("taskkill", ["/pid", String(pid), "/T", "/F"]).catch(() => undefined);
  return [];
}
