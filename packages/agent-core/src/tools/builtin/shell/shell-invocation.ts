import path from "node:path";

/** The program and arguments that run a command line. */
export interface ShellInvocation {
  readonly file: string;
  readonly args: readonly string[];
}

/** Runs `$2` in the shell `$1`. Redirects stderr to stdout, because one pipe keeps the output in order. */
const SCRIPT = 'exec "$1" -c "$2" "$0" 2>&1';

/** Returns the program and arguments that run a command line in the given shell. Pure. */
export function shellInvocation(
  command: string,
  { platform, shell }: { readonly platform: NodeJS.Platform; readonly shell: string },
): ShellInvocation {
  return platform === "win32"
    ? { file: "cmd.exe", args: ["/d", "/s", "/c", command] }
    : { file: "/bin/sh", args: ["-c", SCRIPT, path.basename(shell), shell, command] };
}
