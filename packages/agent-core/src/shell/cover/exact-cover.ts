import path from "node:path";
import { isBelow } from "../../workspace/follow-links.js";
import { mentionsProtectedName } from "../../workspace/protected-paths.js";
import type { Workspace } from "../../workspace/workspace.js";
import { followWord } from "../follow-word.js";
import type { PlainCommand } from "../plain-command.js";
import { possibleDirectories } from "../possible-directories.js";
import { movesDirectory, programName, type ShellPart } from "../shell-part.js";
import { coveredPrograms, readsItsWords } from "./covered-programs.js";

/** The surroundings in which a command is judged. */
interface Place {
  readonly directory: string;
  readonly workspace: Workspace;
  readonly parts: readonly ShellPart[] | undefined;
}

/** A simple command with the directories in which it may run. */
interface PlacedCommand {
  readonly program: string;
  readonly words: readonly string[];
  readonly redirections: readonly string[];
  readonly directories: readonly string[];
}

// Nobody reads more words before answering "always".
const mostWords = 512;

/**
 * True if "always" may cover a command by its exact text in its directory.
 *
 * It may not if any of these holds:
 * - the parser cannot parse the command, or a part is computed at run time;
 * - a redirection or a `cd` may leave the workspace;
 * - a word leads to a protected path, or out of the workspace through a link;
 * - a program that reads files is given a file outside or below /proc, or an option with which it
 * may read other files.
 */
export async function isExactCoverable(
  command: string,
  plain: readonly PlainCommand[] | undefined,
  place: Place,
): Promise<boolean> {
  const commands = await placedCommands(command, plain, place);
  if (commands === undefined || commands.length === 0) return false;
  const texts = commands.flatMap(({ program, words }) => [program, ...words]);
  if (texts.length > mostWords || [command, ...texts].some(mentionsForbidden)) return false;
  for (const placed of commands) {
    for (const from of placed.directories) {
      if (!(await isUnforbidden(placed, from, place.workspace))) return false;
    }
  }
  return true;
}

/** Returns the commands of a text; undefined if it is uncertain what they are or where they run. */
async function placedCommands(
  command: string,
  plain: readonly PlainCommand[] | undefined,
  { directory, workspace, parts }: Place,
): Promise<readonly PlacedCommand[] | undefined> {
  if (parts === undefined || !parts.every(isLiteral)) return undefined;
  const moves = parts.filter(movesDirectory).length;
  const writes = parts.flatMap((part) => part.writes).length;
  if (plain === undefined) {
    // Only the plain grammar is certain about redirections and the target of a `cd`.
    const isStill = moves + writes === 0 && !/[<>]|\b(cd|pushd|popd)\b/.test(command);
    return isStill ? parts.map((part) => toPlaced(part, [directory])) : undefined;
  }
  // The parser finds more than the grammar if a program runs a command, as in `bash -c 'cd x'`.
  const written = plain.flatMap((each) => each.writes.filter((file) => file !== "/dev/null"));
  if (moves !== plain.filter(movesDirectory).length || writes !== written.length) return undefined;
  const places = await possibleDirectories(plain, directory, workspace);
  if (places === undefined) return undefined;
  const given = plain.map(({ program, words, ...each }, index) => ({
    program,
    words,
    redirections: [...each.writes, ...each.reads],
    directories: places[index] ?? [],
  }));
  const known = new Set(given.map(keyOf));
  const hidden = parts.map((part) => toPlaced(part, [...new Set(places.flat())]));
  return [...given, ...hidden.filter((part) => !known.has(keyOf(part)))];
}

function isLiteral({ program, args }: ShellPart): boolean {
  return program !== undefined && !args.includes(undefined);
}

function toPlaced({ program = "", args }: ShellPart, directories: readonly string[]) {
  const words = args.filter((arg) => arg !== undefined);
  return { program, words, redirections: [], directories };
}

function keyOf({ program, words }: PlacedCommand): string {
  return JSON.stringify([program, ...words]);
}

function mentionsForbidden(text: string): boolean {
  return mentionsProtectedName(text) || /\/proc(?![\w.-])/.test(text);
}

async function isUnforbidden(
  { program, words, redirections }: PlacedCommand,
  from: string,
  workspace: Workspace,
): Promise<boolean> {
  const name = programName(program);
  const isReader = coveredPrograms.has(name);
  const options = words.filter((word) => word.startsWith("-"));
  if (isReader && !options.every((option) => readsItsWords(name, option))) return false;
  const isPath = program.includes("/");
  if (isPath && !(await mayName(program, { from, workspace, isReader: false }))) return false;
  for (const word of words.flatMap(pathsIn)) {
    if (!(await mayName(word, { from, workspace, isReader }))) return false;
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

async function mayName(
  word: string,
  { from, workspace, isReader }: { from: string; workspace: Workspace; isReader: boolean },
): Promise<boolean> {
  const place = await followWord(from, word, workspace);
  if (place === undefined) return !isReader;
  if (place.isProtected || place.isOfProcess) return false;
  const isNamedInside = isBelow(workspace.root, path.resolve(from, word));
  return place.isInside || !(isReader || isNamedInside);
}

async function mayRedirect(file: string, from: string, workspace: Workspace): Promise<boolean> {
  if (file === "/dev/null") return true;
  const place = await followWord(from, file, workspace);
  return place?.isInside === true && !place.isProtected && !place.isOfProcess;
}
