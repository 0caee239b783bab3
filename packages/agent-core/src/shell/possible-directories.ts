import type { Workspace } from "../workspace/workspace.js";
import { followWord } from "./follow-word.js";
import type { Joiner, PlainCommand } from "./plain-command.js";
import { changesDirectory } from "./shell-part.js";

const MAX_DIRECTORIES = 32;

/** A possible state of the shell between two commands. */
interface ShellState {
  readonly directory: string;
  /** True if the previous command succeeded. */
  readonly isOk: boolean;
}

/**
 * Returns the directories in which each command of a line may run, with links resolved. It
 * considers that a `cd` may fail, and that `&&` or `||` may skip a command.
 *
 * Returns undefined if a `cd` may leave the workspace, leads through a link or to a protected path,
 * or is part of a pipeline. Also returns undefined for other programs that change the directory, and for too
 * many directories.
 */
export async function possibleDirectories(
  commands: readonly PlainCommand[],
  directory: string,
  workspace: Workspace,
): Promise<readonly (readonly string[])[] | undefined> {
  const possible: (readonly string[])[] = [];
  let states: readonly ShellState[] = [{ directory, isOk: true }];
  let running: readonly ShellState[] = states;
  for (const [index, command] of commands.entries()) {
    const isPiped = command.joiner === "|" || commands[index + 1]?.joiner === "|";
    if (changesDirectory(command) && (isPiped || command.program !== "cd")) return undefined;
    if (command.joiner !== "|") running = states.filter((state) => isRunIn(state, command.joiner));
    const skipped = states.filter((state) => !running.includes(state));
    const directories = unique(running.map((state) => state.directory));
    const next = await Promise.all(
      directories.map((each) => statesAfter(command, each, workspace)),
    );
    const known = next.filter((each) => each !== undefined);
    if (known.length < next.length || known.length > MAX_DIRECTORIES) return undefined;
    possible.push(directories);
    states = distinct([...skipped, ...known.flat()]);
    running = states.filter((state) => !skipped.includes(state));
  }
  return possible;
}

function isRunIn({ isOk }: ShellState, joiner: Joiner): boolean {
  if (joiner === "&&") return isOk;
  return joiner === "||" ? !isOk : true;
}

async function statesAfter(
  { program, words }: PlainCommand,
  directory: string,
  workspace: Workspace,
): Promise<readonly ShellState[] | undefined> {
  const failed = { directory, isOk: false };
  if (program !== "cd") return [{ directory, isOk: true }, failed];
  const target = await directoryAfterCd(directory, words, workspace);
  return target === undefined ? undefined : [{ directory: target, isOk: true }, failed];
}

// Returns the directory after a `cd`; undefined if the `cd` is refused. A `cd` through a link is refused,
// because the shell and the kernel disagree about the meaning of `..` after such a `cd`.
async function directoryAfterCd(
  from: string,
  [target, ...rest]: readonly string[],
  workspace: Workspace,
): Promise<string | undefined> {
  if (target === undefined || rest.length > 0 || target.startsWith("-")) return undefined;
  const followed = await followWord(from, target, workspace);
  if (followed === undefined || !followed.isInside || followed.isProtected || followed.isLinked) {
    return undefined;
  }
  return followed.absolute;
}

function distinct(states: readonly ShellState[]): readonly ShellState[] {
  return [...new Map(states.map((state) => [`${state.isOk} ${state.directory}`, state])).values()];
}

function unique(items: readonly string[]): readonly string[] {
  return [...new Set(items)];
}
