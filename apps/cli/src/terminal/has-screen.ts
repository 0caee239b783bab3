/** Whether this process can draw a screen: a terminal on both sides that can do more than print lines. */
export function hasScreen(environment: Readonly<Record<string, string | undefined>>): boolean {
  return process.stdin.isTTY && process.stdout.isTTY && environment.TERM !== "dumb";
}
