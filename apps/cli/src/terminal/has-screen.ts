/** True if this process can draw a screen: both streams are a terminal that understands escape codes. */
export function hasScreen(environment: Readonly<Record<string, string | undefined>>): boolean {
  return process.stdin.isTTY && process.stdout.isTTY && environment.TERM !== "dumb";
}
