import path from "node:path";

/** How a command line is run: a program and its arguments. */
export interface ShellInvocation {
  readonly file: string;
  readonly args: readonly string[];
}

/** One pipe for both streams keeps them in order. */
const script = 'exec "$1" -c "$2" "$0" 2>&1';

/** A command line, and the shell that was found for it → what is run. Pure. */
export function shellInvocation(
  command: string,
  { platform, shell }: { readonly platform: NodeJS.Platform; readonly shell: string },
): ShellInvocation {
  return platform === "win32"
    ? { file: "cmd.exe", args: ["/d", "/s", "/c", command] }
    : { file: "/bin/sh", args: ["-c", script, path.basename(shell), shell, command] };
}
