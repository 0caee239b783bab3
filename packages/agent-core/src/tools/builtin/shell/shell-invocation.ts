import path from "node:path";

/** The program and arguments that run a command line. */
export interface ShellInvocation {
  readonly file: string;
  readonly args: readonly string[];
}

/** Redirects stderr to stdout, because one pipe keeps the order of both streams. */
const SCRIPT = 'exec "$1" -c "$2" "$0" 2>&1';

/** Builds the invocation of a command line with the given shell. Pure. */
export function shellInvocation(
  command: string,
  { platform, shell }: { readonly platform: NodeJS.Platform; readonly shell: string },
): ShellInvocation {
  return platform === "win32"
    ? { file: "cmd.exe", args: ["/d", "/s", "/c", command] }
    : { file: "/bin/sh", args: ["-c", SCRIPT, path.basename(shell), shell, command] };
}
