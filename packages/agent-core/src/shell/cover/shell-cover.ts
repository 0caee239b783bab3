import { isBelow } from "../../workspace/follow-links.js";
import type { Workspace } from "../../workspace/workspace.js";
import { followWord } from "../follow-word.js";
import { type PlainCommand, parsePlainCommand } from "../plain-command.js";
import { possibleDirectories } from "../possible-directories.js";
import type { ShellPart } from "../shell-part.js";
import { isUnsafeEnvironment } from "../unsafe-environment.js";
import { splitWords } from "./covered-programs.js";
import { isExactCoverable } from "./exact-cover.js";

/** The commands that the answer "always" to a shell command may allow. */
export type ShellCover =
  /** The same text in the same directory. */
  | { readonly type: "exact" }
  /** These programs with these options, and any other arguments that stay inside the workspace. */
  | { readonly type: "programs"; readonly commands: readonly CoveredCommand[] };

/** A program and its options, as written. */
export interface CoveredCommand {
  readonly program: string;
  readonly options: readonly string[];
}

/** The directory, environment and parsed parts of a command. */
export interface ShellContext {
  /** Working directory with links resolved. */
  readonly directory: string;
  readonly workspace: Workspace;
  /** The complete environment. */
  readonly environment: Readonly<Record<string, string>>;
  readonly platform: NodeJS.Platform;
  /** The parsed parts; undefined if the parser cannot parse the command. */
  readonly parts: readonly ShellPart[] | undefined;
}

/**
 * Returns the commands that the answer "always" to a command may allow; undefined if every use must ask.
 * Links may change, so this function runs again before each execution.
 */
export async function findShellCover(
  command: string,
  context: ShellContext,
): Promise<ShellCover | undefined> {
  const plain = context.platform === "win32" ? undefined : parsePlainCommand(command);
  try {
    const commands = plain && (await findCoveredCommands(plain, context));
    if (commands !== undefined) return { type: "programs", commands };
    return (await isExactCoverable(command, plain, context)) ? { type: "exact" } : undefined;
  } catch {
    // A path that cannot be followed, such as a loop of links, has no known target.
    return undefined;
  }
}

async function findCoveredCommands(
  plain: readonly PlainCommand[],
  { directory, workspace, environment }: ShellContext,
): Promise<readonly CoveredCommand[] | undefined> {
  const split = plain.map(({ program, words, isRedirected }) => {
    const found = isRedirected ? undefined : splitWords(program, words);
    return found && { program, ...found };
  });
  const covered = split.filter((each) => each !== undefined);
  if (covered.length < split.length) return undefined;
  if (!(await isCoverable(directory, ".", workspace))) return undefined;
  if (await isUnsafeEnvironment(environment, workspace)) return undefined;
  const possible = await possibleDirectories(plain, directory, workspace);
  if (possible === undefined) return undefined;
  for (const [index, { others }] of covered.entries()) {
    for (const from of possible[index] ?? []) {
      for (const word of others) {
        if (!(await isCoverable(from, word, workspace))) return undefined;
      }
    }
  }
  return covered.map(({ program, options }) => ({ program, options }));
}

// A workspace may contain these directories if it is the root of the file system.
const KERNEL_DIRECTORIES = ["/sys", "/dev"];

async function isCoverable(from: string, word: string, workspace: Workspace): Promise<boolean> {
  const followed = await followWord(from, word, workspace);
  if (followed === undefined || !followed.isInside || followed.isProtected) return false;
  return (
    !followed.isThroughProc &&
    !KERNEL_DIRECTORIES.some((directory) => isBelow(directory, followed.absolute))
  );
}
