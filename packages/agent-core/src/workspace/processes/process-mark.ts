import { randomUUID } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/**
 * Identifies the processes of one tool call, even after a restart. It is plain data, because the
 * journal stores it.
 */
export interface ProcessMark {
  /** Prefix of the names of the variable and the open file that the processes inherit. */
  readonly name: string;
  /** Host that the processes run on. */
  readonly host: string;
  /** Boot id of that host's kernel. Linux only. */
  readonly boot?: string;
  /** Process namespace, because a pid is valid only in its own namespace (container). Linux only. */
  readonly namespace?: string;
}

/** Host, boot and namespace in which processes run. */
export type ProcessLocation = Omit<ProcessMark, "name">;

/** Prefix of the name of every mark. */
export const MARK_PREFIX = "DT_PROCESS_";

/** Creates the mark of a tool call that is about to start. */
export function createProcessMark(): ProcessMark {
  return { name: `${MARK_PREFIX}${randomUUID().replaceAll("-", "")}`, ...currentLocation() };
}

/** True if a text is the whole name of a mark. A part of a name could match other processes too. */
export function isMarkName(name: string): boolean {
  return /^DT_PROCESS_[\da-f]{32}$/.test(name);
}

/** True if a file name is the name of a marker file. */
export function isMarkerFile(name: string): boolean {
  return /^DT_PROCESS_[\da-f]{32}(_[\da-f]{8})?$/.test(name);
}

/**
 * Compares a mark with a location. The result is `here` if the mark's processes can be found,
 * `gone` if their host was restarted, `elsewhere` if they ran on another host or in another
 * container, and `hidden` if this system does not show marks.
 */
export function locateMark(
  mark: ProcessMark,
  location: ProcessLocation,
): "here" | "gone" | "elsewhere" | "hidden" {
  if (mark.boot === undefined || location.boot === undefined) {
    return mark.host === location.host ? "hidden" : "elsewhere";
  }
  if (mark.boot !== location.boot) return mark.host === location.host ? "gone" : "elsewhere";
  return mark.namespace === location.namespace ? "here" : "elsewhere";
}

let location: ProcessLocation | undefined;

/** Returns the location of this process. It is read only once, because it never changes. */
export function currentLocation(): ProcessLocation {
  location ??= { host: hostname(), ...(process.platform === "linux" && kernelLocation()) };
  return location;
}

function kernelLocation(): Omit<ProcessLocation, "host"> {
  try {
    return {
      boot: readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim(),
      namespace: readlinkSync("/proc/self/ns/pid"),
    };
  } catch {
    // There is no /proc, so the boot and the namespace are not known.
    return {};
  }
}
