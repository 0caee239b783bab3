import { randomUUID } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** Identifies the processes of one tool call, after a restart too. Plain data: the journal keeps it. */
export interface ProcessMark {
  /** The names of the variable and of the open file that they inherit begin with it. */
  readonly name: string;
  /** The host that they run on. */
  readonly host: string;
  /** The boot of that host, as its kernel names it. Linux only. */
  readonly boot?: string;
  /** The process namespace: in another one (a container) their ids mean nothing. Linux only. */
  readonly namespace?: string;
}

/** The place where a process of ours would run. */
export type ProcessPlace = Omit<ProcessMark, "name">;

/** The beginning of every mark. */
export const MARK_START = "DT_PROCESS_";

/** Creates the mark of a call that is about to start. */
export function createProcessMark(): ProcessMark {
  return { name: `${MARK_START}${randomUUID().replaceAll("-", "")}`, ...currentPlace() };
}

/** Whether a name can only be a mark's: anything shorter would fit processes of others too. */
export function isMarkName(name: string): boolean {
  return /^DT_PROCESS_[\da-f]{32}$/.test(name);
}

/** Whether a file in the temporary directory is one that marks a process. */
export function isMarkerFile(name: string): boolean {
  return /^DT_PROCESS_[\da-f]{32}(_[\da-f]{8})?$/.test(name);
}

/**
 * Where the processes of a mark are, seen from a place: they can be found `here`, are `gone` since the
 * host has started anew, run `elsewhere` if they run, or this system does not show them (`hidden`).
 */
export function locateMark(
  mark: ProcessMark,
  place: ProcessPlace,
): "here" | "gone" | "elsewhere" | "hidden" {
  if (mark.boot === undefined || place.boot === undefined) {
    return mark.host === place.host ? "hidden" : "elsewhere";
  }
  if (mark.boot !== place.boot) return mark.host === place.host ? "gone" : "elsewhere";
  return mark.namespace === place.namespace ? "here" : "elsewhere";
}

let place: ProcessPlace | undefined;

/** The place of this process; it does not change while the process lives. */
export function currentPlace(): ProcessPlace {
  place ??= { host: hostname(), ...(process.platform === "linux" && kernelPlace()) };
  return place;
}

function kernelPlace(): Omit<ProcessPlace, "host"> {
  try {
    return {
      boot: readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim(),
      namespace: readlinkSync("/proc/self/ns/pid"),
    };
  } catch {
    // There is no /proc: nothing of what runs can be seen.
    return {};
  }
}
