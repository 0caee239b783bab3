import { execFile } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import type { ProcessEntry } from "./process-table.js";
import { identityOf, processes } from "./shared-processes.js";

/** A process that was started, and everything that it starts. */
export interface ProcessTree {
  /** Those that live now, as far as they can be found. */
  living(): Promise<readonly ProcessEntry[]>;
  /** Looks for them now and then until the signal aborts: who was found once stays known. */
  watch(signal: AbortSignal): Promise<void>;
  /** Ends all of them, first gently; gives those that would not end. */
  end(options: { readonly graceMs: number }): Promise<readonly ProcessEntry[]>;
}

/** The first process: the leader of its group, started with the variable `marker`. */
export interface TreeRoot {
  readonly pid: number;
  readonly marker: string;
}

const pollMs = 20;
/** Most of what hides does so at its start; later a look each second is cheap enough. */
const firstWatchMs = 20;
const lastWatchMs = 1000;
const killMs = 5000;

/**
 * Follows a process and its descendants: by parent, by process group, and by what they inherit, which
 * finds those that left the group (`setsid`) and whose parents have ended: a variable, and an open file
 * for those that cleared their environment (`env -i`).
 *
 * A process that gives up all of these between two looks is not found. No more can be done without
 * rights that we do not have (a cgroup) or calls that Node does not offer (a subreaper). Nor is there a
 * variable or a file to be seen elsewhere than on Linux.
 */
export function openProcessTree(root: TreeRoot, table = processes): ProcessTree {
  /** Everyone found so far: a child stays known when its parent ends. */
  const known = new Map<string, ProcessEntry>();

  async function living(): Promise<readonly ProcessEntry[]> {
    return await find(await table.current());
  }

  async function find(listed: readonly ProcessEntry[]): Promise<readonly ProcessEntry[]> {
    // Whatever we inherit or hold, we are not our own descendant.
    const all = listed.filter(({ pid }) => pid !== process.pid);
    const marks = await Promise.all(all.map((entry) => table.marksOf(entry)));
    const isOurs = (entry: ProcessEntry, index: number) =>
      known.has(identityOf(entry)) ||
      entry.pid === root.pid ||
      entry.group === root.pid ||
      marks[index]?.some((mark) => mark.startsWith(root.marker)) === true;
    const found = new Set(all.filter(isOurs));
    // A set visits what is added while it is walked: children of children come too.
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
        let pauseMs = firstWatchMs;
        !signal.aborted;
        pauseMs = Math.min(2 * pauseMs, lastWatchMs)
      ) {
        await pause(pauseMs, signal);
        // Commands that run at the same time look at the same table.
        if (!signal.aborted) await find(await table.recent(pauseMs / 2));
      }
    },
    async end({ graceMs }) {
      if (process.platform === "win32") return await endOnWindows(root.pid);
      return await endProcesses(living, { graceMs });
    },
  };
}

/** Ends all that live, first gently; gives those that would not end. */
export async function endProcesses(
  living: ProcessTree["living"],
  { graceMs }: { readonly graceMs: number },
): Promise<readonly ProcessEntry[]> {
  const left = await signalUntilGone(living, "SIGTERM", graceMs);
  return left.length === 0 ? left : await signalUntilGone(living, "SIGKILL", killMs);
}

/**
 * Number of listings in a row that must be empty. A listing is not taken at one moment: it can miss a child
 * that was started after its directory was read, and find the parent ended. The next one has that child.
 */
const EMPTY_LISTINGS = 2;

/** Signals all, again and again, since new ones may appear; gives those that are left. */
async function signalUntilGone(
  living: ProcessTree["living"],
  signal: NodeJS.Signals,
  forMs: number,
): Promise<readonly ProcessEntry[]> {
  const until = performance.now() + forMs;
  const signalled = new Set<string>();
  for (let empty = 0; ; ) {
    const left = await living();
    const fresh = left.filter((entry) => !signalled.has(identityOf(entry)));
    for (const entry of fresh) {
      send(entry.pid, signal);
      signalled.add(identityOf(entry));
    }
    empty = left.length === 0 ? empty + 1 : 0;
    if (empty === EMPTY_LISTINGS || performance.now() >= until) return left;
    if (empty === 0) await wait(pollMs);
  }
}

/** Ends early where the signal aborts. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => undefined);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
    // A stopped process would only see the signal once somebody lets it go on.
    if (signal === "SIGTERM") process.kill(pid, "SIGCONT");
  } catch {
    // It has ended, or is not ours to end: then it is found again and reported.
  }
}

async function endOnWindows(pid: number): Promise<readonly ProcessEntry[]> {
  // Fails where the process has ended already.
  await promisify(execFile)("taskkill", ["/pid", String(pid), "/T", "/F"]).catch(() => undefined);
  return [];
}
