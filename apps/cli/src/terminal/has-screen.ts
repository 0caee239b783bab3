import type { CliEnvironment } from "../variables.js";

/** True if this process can draw a screen: stdin and stdout are a terminal that understands escape codes. */
export function hasScreen(environment: CliEnvironment): boolean {
  return process.stdin.isTTY && process.stdout.isTTY && environment.TERM !== "dumb";
}
