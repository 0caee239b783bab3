/** How a command line is run: a program and its arguments. */
export interface ShellInvocation {
  readonly file: string;
  readonly args: readonly string[];
}

/** One pipe for both streams keeps them in order. */
const script =
  'if command -v bash >/dev/null; then exec bash -c "$1" 2>&1; else exec sh -c "$1" 2>&1; fi';

/** A command line → the shell that runs it. Pure. */
export function shellInvocation(command: string, platform: NodeJS.Platform): ShellInvocation {
  return platform === "win32"
    ? { file: "cmd.exe", args: ["/d", "/s", "/c", command] }
    : { file: "/bin/sh", args: ["-c", script, "sh", command] };
}
