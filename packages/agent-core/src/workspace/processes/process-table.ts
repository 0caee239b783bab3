import { execFile } from "node:child_process";
import { readdir, readFile, readlink } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { MARK_PREFIX } from "./process-mark.js";

/**
 * File descriptor of the marker. Scripts use the first numbers from 3 on, and shells use the first free
 * numbers from 10 on, so 97 is very likely free.
 */
export const MARKER_FD = 97;

/** One process in the process table of the system. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Start time. Together with the pid it identifies the process, because pids are reused. */
  readonly startedAt: string;
  readonly name: string;
}

/** Lists the running processes, without zombies. */
export async function listProcesses(): Promise<readonly ProcessEntry[]> {
  return process.platform === "linux" ? await listFromProc() : await listFromPs();
}

/**
 * True if a process has a variable with this prefix. Undefined if its variables cannot be read, for
 * example in the middle of `exec`. Linux only.
 */
export async function hasVariable(pid: number, prefix: string): Promise<boolean | undefined> {
  if (process.platform !== "linux") return undefined;
  const environment = await readProc(pid, "environ");
  if (environment === undefined || environment === "") return undefined;
  return environment.split("\0").some((each) => each.startsWith(prefix));
}

/** True if a process has a file open as `fd` whose path contains `name`. Linux only. */
export async function hasOpenFile(pid: number, fd: number, name: string): Promise<boolean> {
  if (process.platform !== "linux") return false;
  try {
    return (await readlink(`/proc/${pid}/fd/${fd}`)).includes(name);
  } catch {
    // The descriptor is closed, the process has ended, or the process belongs to another user.
    return false;
  }
}

/**
 * Returns the marks of a process. A mark is a name that begins with {@link MARK_PREFIX}, of a variable of the
 * process or of its file at {@link MARKER_FD}. Undefined if the process is in the middle of `exec`. Linux
 * only.
 */
export async function readMarks(pid: number): Promise<readonly string[] | undefined> {
  if (process.platform !== "linux") return [];
  const markerFile = await readlink(`/proc/${pid}/fd/${MARKER_FD}`).catch(() => "");
  const environment = await readProc(pid, "environ");
  const names = [path.basename(markerFile), ...(environment ?? "").split("\0")]
    .map((each) => each.split("=", 1)[0] ?? "")
    .filter((name) => name.startsWith(MARK_PREFIX));
  return names.length === 0 && environment === "" ? undefined : names;
}

async function listFromProc(): Promise<readonly ProcessEntry[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const entries = await Promise.all(
    pids.map(async (pid) => parseStat(await readProc(pid, "stat"), pid)),
  );
  return entries.filter((entry) => entry !== undefined);
}

/**
 * Parses a line `pid (name) state ppid pgrp session …` of `/proc/PID/stat` (proc(5)). The name may
 * contain spaces and parentheses. Returns undefined for a zombie.
 */
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

// Reads a file of a process in /proc. Resolves with undefined if it has ended or belongs to another user.
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

/** Parses a line of `ps -A -o pid=,ppid=,pgid=,stat=,lstart=,comm=`. The field `lstart` has five words. */
export function parsePsLine(line: string): ProcessEntry | undefined {
  const [, pid, parent, group, state, startedAt, name] =
    /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+((?:\S+\s+){4}\S+)\s+(.*)$/.exec(line) ?? [];
  if (startedAt === undefined || state?.startsWith("Z") === true) return undefined;
  const ids = { pid: Number(pid), parent: Number(parent), group: Number(group) };
  return { ...ids, startedAt, name: name ?? "" };
}
