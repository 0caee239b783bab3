import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";

const execute = promisify(execFile);
const replacement = path.join(import.meta.dirname, "curl.mjs");

/** Runs curl, or our replacement if curl is not installed. Returns the output. */
export async function runCurl(...args: readonly string[]): Promise<string> {
  try {
    return (await execute("curl", ["-sS", "-N", ...args])).stdout;
  } catch (reason) {
    if ((reason as NodeJS.ErrnoException).code !== "ENOENT") throw reason;
    return (await execute(process.execPath, [replacement, "-sSN", ...args])).stdout;
  }
}
