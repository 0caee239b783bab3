import path from "node:path";
import { isBelow } from "../../workspace/follow-links.js";
import { mentionsProtectedName } from "../../workspace/protected-paths.js";
import type { Workspace } from "../../workspace/workspace.js";
import { followWord } from "../follow-word.js";
import type { PlainCommand } from "../plain-command.js";
import { possibleDirectories } from "../possible-directories.js";
import { changesDirectory, programName, type ShellPart } from "../shell-part.js";
import { COVERED_PROGRAMS, readsOnlyNamedFiles } from "./covered-programs.js";

/** The directory, the workspace and the parsed parts of a command. */
interface CommandContext {
  readonly directory: string;
  readonly workspace: Workspace;
  readonly parts: readonly ShellPart[] | undefined;
}

/** A simple command with the directories in which it may run. */
interface LocatedCommand {
  readonly program: string;
  readonly words: readonly string[];
  readonly redirections: readonly string[];
  readonly directories: readonly string[];
}

// Maximum number of words. Nobody reads a longer command before answering "always".
const MAX_WORDS = 512;

/**
 * True if "always" may allow the exact text of a command in its directory.
 *
 * The result is false in each of these cases:
 * - the parser cannot parse the command, a part is computed at run time, or there are too many words;
 * - a redirection or a `cd` may leave the workspace;
 * - a word leads to a protected path, or out of the workspace through a link;
 * - a program that reads files gets a file outside the workspace or below /proc, or an option with
 *   which it may read other files.
 */
export async function isExactCoverable(
  command: string,
  plain: readonly PlainCommand[] | undefined,
  context: CommandContext,
): Promise<boolean> {
  const commands = await locateCommands(command, plain, context);
  if (commands === undefined || commands.length === 0) return false;
  const texts = commands.flatMap(({ program, words }) => [program, ...words]);
  if (texts.length > MAX_WORDS || [command, ...texts].some(mentionsForbidden)) return false;
  for (const located of commands) {
    for (const from of located.directories) {
      if (!(await isPermitted(located, from, context.workspace))) return false;
    }
  }
  return true;
}

/** Returns the commands of a text; undefined if the commands or their directories are uncertain. */
async function locateCommands(
  command: string,
  plain: readonly PlainCommand[] | undefined,
  { directory, workspace, parts }: CommandContext,
): Promise<readonly LocatedCommand[] | undefined> {
  if (parts === undefined || !parts.every(isLiteral)) return undefined;
  const moveCount = parts.filter(changesDirectory).length;
  const writeCount = parts.flatMap((part) => part.writes).length;
  if (plain === undefined) {
    // Without the plain grammar, redirections and the target of a `cd` are uncertain. The command must
    // therefore have neither.
    const isCertain = moveCount + writeCount === 0 && !/[<>]|\b(cd|pushd|popd)\b/.test(command);
    return isCertain ? parts.map((part) => toLocated(part, [directory])) : undefined;
  }
  // If a program runs a command, as in `bash -c 'cd x'`, the parser finds more directory changes or writes
  // than the plain grammar. The result is then undefined.
  const written = plain.flatMap((each) => each.writes.filter((file) => file !== "/dev/null"));
  if (moveCount !== plain.filter(changesDirectory).length || writeCount !== written.length)
    return undefined;
  const possible = await possibleDirectories(plain, directory, workspace);
  if (possible === undefined) return undefined;
  const visible = plain.map(({ program, words, ...each }, index) => ({
    program,
    words,
    redirections: [...each.writes, ...each.reads],
    directories: possible[index] ?? [],
  }));
  const visibleKeys = new Set(visible.map(keyOf));
  const hidden = parts.map((part) => toLocated(part, [...new Set(possible.flat())]));
  return [...visible, ...hidden.filter((part) => !visibleKeys.has(keyOf(part)))];
}

function isLiteral({ program, args }: ShellPart): boolean {
  return program !== undefined && !args.includes(undefined);
}

function toLocated({ program = "", args }: ShellPart, directories: readonly string[]) {
  const words = args.filter((arg) => arg !== undefined);
  return { program, words, redirections: [], directories };
}

function keyOf({ program, words }: LocatedCommand): string {
  return JSON.stringify([program, ...words]);
}

function mentionsForbidden(text: string): boolean {
  return mentionsProtectedName(text) || /\/proc(?![\w.-])/.test(text);
}

async function isPermitted(
  { program, words, redirections }: LocatedCommand,
  from: string,
  workspace: Workspace,
): Promise<boolean> {
  const name = programName(program);
  const isReader = COVERED_PROGRAMS.has(name);
  const options = words.filter((word) => word.startsWith("-"));
  if (isReader && !options.every((option) => readsOnlyNamedFiles(name, option))) return false;
  const isPath = program.includes("/");
  if (isPath && !(await mayUsePath(program, { from, workspace, isReader: false }))) return false;
  for (const word of words.flatMap(pathsIn)) {
    if (!(await mayUsePath(word, { from, workspace, isReader }))) return false;
  }
  for (const file of redirections) {
    if (!(await mayRedirect(file, from, workspace))) return false;
  }
  return true;
}

// Finds paths in words such as `of=a.txt`, `--output=a.txt` and `-oa.txt`.
function pathsIn(word: string): readonly string[] {
  const [, value] = /^-?-?[\w-]+=(.+)$/s.exec(word) ?? /^-\w(.+)$/s.exec(word) ?? [];
  return [...(word.startsWith("-") ? [] : [word]), ...(value === undefined ? [] : [value])];
}

async function mayUsePath(
  word: string,
  { from, workspace, isReader }: { from: string; workspace: Workspace; isReader: boolean },
): Promise<boolean> {
  const followed = await followWord(from, word, workspace);
  if (followed === undefined) return !isReader;
  if (followed.isProtected || followed.isThroughProc) return false;
  const isNamedInside = isBelow(workspace.root, path.resolve(from, word));
  return followed.isInside || !(isReader || isNamedInside);
}

async function mayRedirect(file: string, from: string, workspace: Workspace): Promise<boolean> {
  if (file === "/dev/null") return true;
  const followed = await followWord(from, file, workspace);
  return followed?.isInside === true && !followed.isProtected && !followed.isThroughProc;
}
