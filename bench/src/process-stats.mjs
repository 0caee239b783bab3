import { readdirSync, readFileSync } from "node:fs";

// These functions work only on Linux. On other systems they throw, and the row is reported as not measured.

/** Reads the CPU time that all threads of a process have used so far, in milliseconds. */
export function readCpuMs(pid) {
  const tasks = `/proc/${pid}/task`;
  const nanoseconds = readdirSync(tasks).map((task) => {
    return Number(readFileSync(`${tasks}/${task}/schedstat`, "utf8").split(" ")[0]);
  });
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e6;
}

/** Reads the resident memory of a process, in bytes. */
export function readResidentBytes(pid) {
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(kilobytes) * 1024;
}
