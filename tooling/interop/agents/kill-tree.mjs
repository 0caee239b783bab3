import { execFileSync } from "node:child_process";

/** Kills the descendants of a process with -9, as a crash would. */
export function killDescendants(pid) {
  for (const child of descendantsOf(pid)) {
    try {
      process.kill(child, "SIGKILL");
    } catch (reason) {
      // A process may have ended with its parent.
      if (reason.code !== "ESRCH") throw reason;
    }
  }
}

function descendantsOf(pid) {
  const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" }).split("\n");
  const pairs = lines.map((line) => line.trim().split(/\s+/).map(Number));
  const found = [pid];
  for (const parent of found) {
    found.push(...pairs.filter(([, ppid]) => ppid === parent).map(([child]) => child));
  }
  return found.slice(1).reverse();
}
