/** The operator before a command; empty for the first command. */
export type Joiner = "" | "&&" | "||" | ";" | "|";

/** One simple command of a plain command line. */
export interface PlainCommand {
  readonly joiner: Joiner;
  readonly program: string;
  /** The words after the program, without quotes. */
  readonly words: readonly string[];
  /** Files that the command writes by redirection. */
  readonly writes: readonly string[];
  /** Files that the command reads by redirection. */
  readonly reads: readonly string[];
  /** True if the command has any redirection, including `2>&1`. */
  readonly isRedirected: boolean;
}

interface OpenCommand {
  readonly words: string[];
  readonly writes: string[];
  readonly reads: string[];
  isRedirected: boolean;
}

const MAX_LENGTH = 4096;

const BLANKS = /[ \t]*/y;
const JOINER = /&&|\|\||;|\|/y;
// Double quotes may contain only characters that the shell reads literally.
const WORD = /(?:[\w./:@%+,=-]|'[ -&(-~]*'|"[ #%-[\]^_a-~]*")+(?=[ \t;&|]|$)/y;
const PIECE = /'([^']*)'|"([^"]*)"|([^'"]+)/g;
const DESCRIPTORS = /[0-9]?>&[0-9](?=[ \t;&|]|$)/y;
const REDIRECTION = /[0-9]?(>>|>|<)(?![<>&|(])[ \t]*/y;

// The shell reserves these words at the start of a command.
const RESERVED = new Set([
  ...["if", "then", "else", "elif", "fi", "for", "in", "do", "done", "while", "until", "case"],
  ...["esac", "select", "function", "time", "coproc"],
]);

/**
 * Parses a command line of plain words, joined by `&&`, `||`, `;` and `|`. Pure.
 *
 * The grammar allows only words of harmless characters, words of printable ASCII in plain quotes, and
 * redirections to a word. The result for any other text is undefined. The shell expands and computes nothing
 * in a plain command, so `sh` and `bash` read the same words as this function.
 */
export function parsePlainCommand(text: string): readonly PlainCommand[] | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const commands: PlainCommand[] = [];
  let position = 0;
  let joiner: Joiner = "";
  for (;;) {
    const command: OpenCommand = { words: [], writes: [], reads: [], isRedirected: false };
    position = readCommand(text, position, command);
    const [program, ...words] = command.words;
    if (program === undefined || !isProgram(program)) return undefined;
    commands.push({ ...command, joiner, program, words });
    if (position === text.length) return commands;
    const next = match(JOINER, text, position);
    if (next === undefined) return undefined;
    joiner = next[0] as Joiner;
    position += joiner.length;
  }
}

/**
 * Adds the words and redirections after `start` to the command; returns the position after them.
 */
function readCommand(text: string, start: number, command: OpenCommand): number {
  let position = start;
  for (;;) {
    position = endOf(BLANKS, text, position) ?? position;
    const copied = endOf(DESCRIPTORS, text, position);
    const redirected = match(REDIRECTION, text, position);
    command.isRedirected ||= copied !== undefined || redirected !== undefined;
    if (copied !== undefined) {
      position = copied;
      continue;
    }
    const found = match(WORD, text, position + (redirected?.[0].length ?? 0));
    if (found === undefined) return position;
    position = found.index + found[0].length;
    targetOf(redirected?.[1], command).push(withoutQuotes(found[0]));
  }
}

function targetOf(operator: string | undefined, command: OpenCommand): string[] {
  if (operator === undefined) return command.words;
  return operator === "<" ? command.reads : command.writes;
}

function isProgram(name: string): boolean {
  return name !== "" && !name.includes("=") && !RESERVED.has(name);
}

function withoutQuotes(quoted: string): string {
  return quoted.replace(PIECE, (_, single, double, plain) => single ?? double ?? plain);
}

function endOf(pattern: RegExp, text: string, position: number): number | undefined {
  const found = match(pattern, text, position);
  return found && position + found[0].length;
}

function match(pattern: RegExp, text: string, position: number): RegExpExecArray | undefined {
  pattern.lastIndex = position;
  return pattern.exec(text) ?? undefined;
}
