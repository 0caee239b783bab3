import { isBelow } from "../../workspace/follow-links.js";
import type { Workspace } from "../../workspace/workspace.js";
import { followWord } from "../follow-word.js";
import { type PlainCommand, parsePlainCommand } from "../plain-command.js";
import { possibleDirectories } from "../possible-directories.js";
import type { ShellPart } from "../shell-part.js";
import { steersShell } from "../steers-shell.js";
import { splitWords } from "./covered-programs.js";
import { isExactCoverable } from "./exact-cover.js";

/** What an "always" for a shell command may cover. */
export type ShellCover =
  /** The same text in the same directory. */
  | { readonly type: "exact" }
  /** These programs with these options, and any other words that stay inside the workspace. */
  | { readonly type: "programs"; readonly commands: readonly CoveredCommand[] };

/** A program and its options, as they are spelled. */
export interface CoveredCommand {
  readonly program: string;
  readonly options: readonly string[];
}

/** What a command is judged by. */
export interface ShellSetting {
  /** Where it runs, links resolved. */
  readonly directory: string;
  readonly workspace: Workspace;
  /** All of its environment. */
  readonly environment: Readonly<Record<string, string>>;
  readonly platform: NodeJS.Platform;
  /** What the parser found in it; undefined if it found no meaning. */
  readonly parts: readonly ShellPart[] | undefined;
}

/**
 * What an "always" for a command may cover, links resolved now; undefined if it has to be asked about
 * each time. Links may change later, so this is found anew whenever the command is about to run.
 */
export async function findShellCover(
  command: string,
  setting: ShellSetting,
): Promise<ShellCover | undefined> {
  const plain = setting.platform === "win32" ? undefined : parsePlainCommand(command);
  try {
    const commands = plain && (await coveredCommands(plain, setting));
    if (commands !== undefined) return { type: "programs", commands };
    return (await isExactCoverable(command, plain, setting)) ? { type: "exact" } : undefined;
  } catch {
    // A path that cannot be looked at, such as a loop of links, leads nobody knows where.
    return undefined;
  }
}

async function coveredCommands(
  plain: readonly PlainCommand[],
  { directory, workspace, environment }: ShellSetting,
): Promise<readonly CoveredCommand[] | undefined> {
  const split = plain.map(({ program, words, isRedirected }) => {
    const found = isRedirected ? undefined : splitWords(program, words);
    return found && { program, ...found };
  });
  const known = split.filter((each) => each !== undefined);
  if (known.length < split.length) return undefined;
  if (!(await isCoverable(directory, ".", workspace))) return undefined;
  if (await steersShell(environment, workspace)) return undefined;
  const places = await possibleDirectories(plain, directory, workspace);
  if (places === undefined) return undefined;
  for (const [index, { others }] of known.entries()) {
    for (const from of places[index] ?? []) {
      for (const word of others) {
        if (!(await isCoverable(from, word, workspace))) return undefined;
      }
    }
  }
  return known.map(({ program, options }) => ({ program, options }));
}

// A workspace may contain these, if it is the root of the file system.
const ofKernel = ["/sys", "/dev"];

async function isCoverable(from: string, word: string, workspace: Workspace): Promise<boolean> {
  const place = await followWord(from, word, workspace);
  if (place === undefined || !place.isInside || place.isProtected) return false;
  return !place.isOfProcess && !ofKernel.some((directory) => isBelow(directory, place.absolute));
}
