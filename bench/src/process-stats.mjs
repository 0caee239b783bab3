import { readdirSync, readFileSync } from "node:fs";

// Linux only: elsewhere a row that needs one of these figures says that it was not measured.

/** CPU time that a process has used so far, all of its threads together, in milliseconds. */
export function readCpuMs(pid) {
  const tasks = `/proc/${pid}/task`;
  const nanoseconds = readdirSync(tasks).map((task) => {
    return Number(readFileSync(`${tasks}/${task}/schedstat`, "utf8").split(" ")[0]);
  });
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e6;
}

/** Resident memory of a process, in bytes. */
export function readResidentBytes(pid) {
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(kilobytes) * 1024;
}
