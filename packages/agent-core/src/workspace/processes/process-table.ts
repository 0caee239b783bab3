import { execFile } from "node:child_process";
import { readdir, readFile, readlink } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { MARK_START } from "./process-mark.js";

/** Scripts count from 3, and shells keep copies from 10: nobody comes so far by accident. */
export const MARKER_FD = 97;

/** One process, as the system lists it. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** When it started: with the pid, its identity, since pids are used again. */
  readonly startedAt: string;
  readonly name: string;
}

/** The processes that live. Those that have ended and only wait for their parent are left out. */
export async function listProcesses(): Promise<readonly ProcessEntry[]> {
  return process.platform === "linux" ? await listFromProc() : await listFromPs();
}

/**
 * Whether a process was started with a variable whose name begins so. Undefined where that cannot be
 * told, or not yet, since a process that is just becoming another program shows none. Linux only.
 */
export async function hasVariable(pid: number, start: string): Promise<boolean | undefined> {
  if (process.platform !== "linux") return undefined;
  const environment = await readProc(pid, "environ");
  if (environment === undefined || environment === "") return undefined;
  return environment.split("\0").some((each) => each.startsWith(start));
}

/** Whether a process holds a file open, under the number `fd`, whose path has `name` in it. Linux only. */
export async function holdsFile(pid: number, fd: number, name: string): Promise<boolean> {
  if (process.platform !== "linux") return false;
  try {
    return (await readlink(`/proc/${pid}/fd/${fd}`)).includes(name);
  } catch {
    // It holds nothing there, has ended, or belongs to somebody else.
    return false;
  }
}

/**
 * The marks that a process inherited: names of variables, and the name of the file that it holds open
 * as {@link MARKER_FD}. Undefined if it shows none yet, because it is just becoming another program.
 * Linux only.
 */
export async function readMarks(pid: number): Promise<readonly string[] | undefined> {
  if (process.platform !== "linux") return [];
  const held = await readlink(`/proc/${pid}/fd/${MARKER_FD}`).catch(() => "");
  const environment = await readProc(pid, "environ");
  const names = [path.basename(held), ...(environment ?? "").split("\0")]
    .map((each) => each.split("=", 1)[0] ?? "")
    .filter((name) => name.startsWith(MARK_START));
  return names.length === 0 && environment === "" ? undefined : names;
}

async function listFromProc(): Promise<readonly ProcessEntry[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const entries = await Promise.all(
    pids.map(async (pid) => parseStat(await readProc(pid, "stat"), pid)),
  );
  return entries.filter((entry) => entry !== undefined);
}

/** `pid (name) state ppid pgrp session …`; a name may hold spaces and parentheses. (proc(5)) */
export function parseStat(stat: string | undefined, pid: number): ProcessEntry | undefined {
  if (stat === undefined) return undefined;
  const end = stat.lastIndexOf(")");
  const fields = stat.slice(end + 2).split(" ");
  const [state, parent, group] = fields;
  if (state === undefined || "ZXx".includes(state)) return undefined;
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    startedAt: fields[19] ?? "",
    name: stat.slice(stat.indexOf("(") + 1, end),
  };
}

// A process may end while it is read, or belong to somebody else.
async function readProc(pid: number, file: string): Promise<string | undefined> {
  try {
    return await readFile(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return undefined;
  }
}

async function listFromPs(): Promise<readonly ProcessEntry[]> {
  const columns = "pid=,ppid=,pgid=,stat=,lstart=,comm=";
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", columns], { env: {} });
  return stdout.split("\n").flatMap((line) => parsePsLine(line) ?? []);
}

/** A line of `ps -A -o pid=,ppid=,pgid=,stat=,lstart=,comm=`; the time is five words. */
export function parsePsLine(line: string): ProcessEntry | undefined {
  const [, pid, parent, group, state, startedAt, name] =
    /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+((?:\S+\s+){4}\S+)\s+(.*)$/.exec(line) ?? [];
  if (startedAt === undefined || state?.startsWith("Z") === true) return undefined;
  const ids = { pid: Number(pid), parent: Number(parent), group: Number(group) };
  return { ...ids, startedAt, name: name ?? "" };
}
