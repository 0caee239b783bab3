/** One simple command inside a shell command. */
export interface ShellPart {
  /** The program, e.g. `git`; undefined where it is computed at run time. */
  readonly program: string | undefined;
  /** Its arguments; undefined for one that is computed at run time. */
  readonly args: readonly (string | undefined)[];
  /** The files that it writes to by redirection; undefined for one that is computed. */
  readonly writes: readonly (string | undefined)[];
}

/** Something runs here, and only the running shell knows what. */
export const computedPart: ShellPart = { program: undefined, args: [], writes: [] };

/** What a program is called, wherever it lies: `/bin/RM` and `rm.exe` are `rm`. */
export function programName(program: string): string {
  return program
    .replace(/^.*[/\\]/, "")
    .replace(/\.(exe|cmd|bat)$/i, "")
    .toLowerCase();
}

/** Whether a command may change the directory in which those after it run. */
export function movesDirectory({ program }: { readonly program: string | undefined }): boolean {
  return program === "cd" || program === "pushd" || program === "popd";
}
