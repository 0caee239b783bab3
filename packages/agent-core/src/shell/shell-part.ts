/** One simple command inside a shell command. */
export interface ShellPart {
  /** The program, e.g. `git`; undefined if the program is computed at run time. */
  readonly program: string | undefined;
  /** The arguments. An argument that is computed at run time is undefined. */
  readonly args: readonly (string | undefined)[];
  /** Files that the command writes by redirection. A name that is computed at run time is undefined. */
  readonly writes: readonly (string | undefined)[];
}

/** A command that is computed at run time. */
export const COMPUTED_PART: ShellPart = { program: undefined, args: [], writes: [] };

/** Returns the name of a program without directory and suffix: `/bin/RM` and `rm.exe` are `rm`. */
export function programName(program: string): string {
  return program
    .replace(/^.*[/\\]/, "")
    .replace(/\.(exe|cmd|bat)$/i, "")
    .toLowerCase();
}

/** True if a command may change the directory of the commands after it. */
export function changesDirectory({ program }: { readonly program: string | undefined }): boolean {
  return program === "cd" || program === "pushd" || program === "popd";
}
