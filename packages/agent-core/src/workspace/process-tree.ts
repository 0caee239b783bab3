import { execFile } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { hasVariable, listProcesses, type ProcessEntry } from "./process-table.js";

/** A process that was started, and everything that it starts. */
export interface ProcessTree {
  /** Those that live now, as far as they can be found. */
  living(): Promise<readonly ProcessEntry[]>;
  /** Ends all of them, first gently; gives those that would not end. */
  end(options: { readonly graceMs: number }): Promise<readonly ProcessEntry[]>;
}

/** The first process: the leader of its group, started with the variable `marker`. */
export interface TreeRoot {
  readonly pid: number;
  readonly marker: string;
}

const pollMs = 20;
const killMs = 5000;

/**
 * Follows a process and its descendants: by parent, by process group, and by a variable that they
 * inherit, which finds those that left the group (`setsid`) and whose parents have ended.
 */
export function openProcessTree(root: TreeRoot): ProcessTree {
  /** Everyone found so far: a child stays known when its parent ends. */
  const known = new Map<string, ProcessEntry>();
  /** Those whose environment was read, so that it is read once. */
  const strangers = new Set<string>();

  async function isMarked(entry: ProcessEntry): Promise<boolean> {
    if (strangers.has(identity(entry))) return false;
    const has = await hasVariable(entry.pid, root.marker);
    if (has === false) strangers.add(identity(entry));
    return has === true;
  }

  async function living(): Promise<readonly ProcessEntry[]> {
    const all = await listProcesses();
    const found = new Set(all.filter((entry) => known.has(identity(entry))));
    for (const entry of all) {
      if (entry.pid === root.pid || entry.group === root.pid || (await isMarked(entry))) {
        found.add(entry);
      }
    }
    // A set visits what is added while it is walked: children of children come too.
    for (const parent of found) {
      for (const entry of all) if (entry.parent === parent.pid) found.add(entry);
    }
    for (const entry of found) known.set(identity(entry), entry);
    return [...found];
  }

  /** Signals all, again and again, since new ones may appear; gives those that are left. */
  async function signalUntilGone(signal: NodeJS.Signals, forMs: number) {
    const until = performance.now() + forMs;
    const signalled = new Set<string>();
    for (;;) {
      const left = await living();
      const fresh = left.filter((entry) => !signalled.has(identity(entry)));
      for (const entry of fresh) {
        send(entry.pid, signal);
        signalled.add(identity(entry));
      }
      if (left.length === 0 || performance.now() >= until) return left;
      await wait(pollMs);
    }
  }

  return {
    living,
    async end({ graceMs }) {
      if (process.platform === "win32") return await endOnWindows(root.pid);
      const left = await signalUntilGone("SIGTERM", graceMs);
      return left.length === 0 ? left : await signalUntilGone("SIGKILL", killMs);
    },
  };
}

function identity({ pid, startedAt }: ProcessEntry): string {
  return `${pid}:${startedAt}`;
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
