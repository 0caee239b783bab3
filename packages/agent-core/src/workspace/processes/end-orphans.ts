import {
  currentLocation,
  isMarkName,
  locateMark,
  type ProcessLocation,
  type ProcessMark,
} from "./process-mark.js";
import {
  hasOpenFile,
  hasVariable,
  listProcesses,
  MARKER_FD,
  type ProcessEntry,
} from "./process-table.js";
import { endProcesses } from "./process-tree.js";

/** Time between SIGTERM and SIGKILL. */
const GRACE_MS = 1000;

/**
 * Ends those processes of a tool call that outlived their agent. Resolves with a sentence about the processes
 * that were ended or may still be running; undefined if there are none.
 *
 * The processes are found by their mark, which is a variable and an open file. Their process groups
 * and descendants are ended too. A process that dropped the mark and left the group is not found.
 */
export async function endOrphans(
  mark: ProcessMark,
  location: ProcessLocation = currentLocation(),
): Promise<string | undefined> {
  if (!isMarkName(mark.name)) return "its journal is damaged, and its process may still be running";
  switch (locateMark(mark, location)) {
    case "gone":
      return undefined;
    case "elsewhere":
      return `its process ran on ${mark.host}, cannot be found from here, and may still be running`;
    case "hidden":
      return `this system (${process.platform}) does not show whether its process is still running`;
    case "here":
      return await endHere(mark);
  }
}

async function endHere({ name }: ProcessMark): Promise<string | undefined> {
  const seen = new Map<number, ProcessEntry>();
  const living = async () => {
    const found = await findMarked(name);
    for (const entry of found) seen.set(entry.pid, entry);
    return found;
  };
  try {
    const left = await endProcesses(living, { graceMs: GRACE_MS });
    if (left.length > 0) return `${listOf(left)} could not be ended and may still be running`;
  } catch (reason) {
    const cause = reason instanceof Error ? reason.message : String(reason);
    return `its process could not be found (${cause}) and may still be running`;
  }
  if (seen.size === 0) return undefined;
  const were = seen.size === 1 ? "was" : "were";
  return `${listOf([...seen.values()])} ${were} still running and ${were} ended`;
}

async function findMarked(mark: string): Promise<readonly ProcessEntry[]> {
  const all = await listProcesses();
  const marks = await Promise.all(all.map(({ pid }) => isMarked(pid, mark)));
  const marked = all.filter((_entry, index) => marks[index]);
  const own = ownFamily(all, marked);
  const found = new Set(marked.filter((entry) => !own.has(entry)));
  const groups = new Set([...found].map(({ group }) => group));
  for (const entry of all) if (groups.has(entry.group) && !own.has(entry)) found.add(entry);
  addDescendants(found, all, own);
  return [...found];
}

async function isMarked(pid: number, mark: string): Promise<boolean> {
  return (await hasOpenFile(pid, MARKER_FD, mark)) || (await hasVariable(pid, mark)) === true;
}

/**
 * Returns the processes that must not be ended: this process and its ancestors. They can have the mark
 * if a marked command restarted the agent. If this process has the mark, its descendants are returned
 * too.
 */
function ownFamily(
  all: readonly ProcessEntry[],
  marked: readonly ProcessEntry[],
): ReadonlySet<ProcessEntry> {
  const own = new Set<ProcessEntry>();
  const isSelf = ({ pid }: ProcessEntry) => pid === process.pid;
  for (let entry = all.find(isSelf); entry !== undefined && !own.has(entry); ) {
    own.add(entry);
    const { parent } = entry;
    entry = all.find(({ pid }) => pid === parent);
  }
  if (!marked.some(isSelf)) return own;
  const family = new Set(all.filter(isSelf));
  addDescendants(family, all, new Set());
  return new Set([...own, ...family]);
}

/** Adds all descendants to `found`. The loop also visits the entries that it adds, and so their children. */
function addDescendants(
  found: Set<ProcessEntry>,
  all: readonly ProcessEntry[],
  except: ReadonlySet<ProcessEntry>,
): void {
  for (const parent of found) {
    for (const entry of all) {
      if (entry.parent === parent.pid && !except.has(entry)) found.add(entry);
    }
  }
}

function listOf(entries: readonly ProcessEntry[]): string {
  const names = entries.map(({ name, pid }) => `${name} (${pid})`).join(", ");
  return entries.length === 1 ? `its process ${names}` : `its processes ${names}`;
}
