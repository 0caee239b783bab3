/** What joins a command to the one before it; empty for the first. */
export type Joiner = "" | "&&" | "||" | ";" | "|";

/** One simple command of a plain command line. */
export interface PlainCommand {
  readonly joiner: Joiner;
  readonly program: string;
  /** Its other words, without their quotes. */
  readonly words: readonly string[];
  /** The files that it writes to by redirection. */
  readonly writes: readonly string[];
  /** The files that it reads from by redirection. */
  readonly reads: readonly string[];
  /** Whether it has any redirection, `2>&1` included. */
  readonly isRedirected: boolean;
}

interface OpenCommand {
  readonly words: string[];
  readonly writes: string[];
  readonly reads: string[];
  isRedirected: boolean;
}

const maxLength = 4096;

const blanks = /[ \t]*/y;
const joiner = /&&|\|\||;|\|/y;
// Within double quotes, all that the shell does not read as anything but itself.
const word = /(?:[\w./:@%+,=-]|'[ -&(-~]*'|"[ #%-[\]^_a-~]*")+(?=[ \t;&|]|$)/y;
const piece = /'([^']*)'|"([^"]*)"|([^'"]+)/g;
const descriptors = /[0-9]?>&[0-9](?=[ \t;&|]|$)/y;
const redirection = /[0-9]?(>>|>|<)(?![<>&|(])[ \t]*/y;

// The shell would read these as its own words, if they come first.
const reserved = new Set([
  ...["if", "then", "else", "elif", "fi", "for", "in", "do", "done", "while", "until", "case"],
  ...["esac", "select", "function", "time", "coproc"],
]);

/**
 * Reads a command line that consists of plain words alone, joined by `&&`, `||`, `;` and `|`. Pure.
 *
 * This lists what is allowed: printable ASCII; words of harmless characters or in plain quotes;
 * redirections to a word. Any other text is undefined, so nothing is ever expanded, assigned,
 * substituted or computed, and `sh` and `bash` read the same words in it as this function.
 */
export function parsePlainCommand(text: string): readonly PlainCommand[] | undefined {
  if (text.length > maxLength) return undefined;
  const commands: PlainCommand[] = [];
  let position = 0;
  let joined: Joiner = "";
  for (;;) {
    const command: OpenCommand = { words: [], writes: [], reads: [], isRedirected: false };
    position = readCommand(text, position, command);
    const [program, ...words] = command.words;
    if (program === undefined || !isProgram(program)) return undefined;
    commands.push({ ...command, joiner: joined, program, words });
    if (position === text.length) return commands;
    const next = match(joiner, text, position);
    if (next === undefined) return undefined;
    joined = next[0] as Joiner;
    position += joined.length;
  }
}

/** Adds the words and redirections that follow, and returns where they end. */
function readCommand(text: string, start: number, command: OpenCommand): number {
  let position = start;
  for (;;) {
    position = endOf(blanks, text, position) ?? position;
    const copied = endOf(descriptors, text, position);
    const redirected = match(redirection, text, position);
    command.isRedirected ||= copied !== undefined || redirected !== undefined;
    if (copied !== undefined) {
      position = copied;
      continue;
    }
    const found = match(word, text, position + (redirected?.[0].length ?? 0));
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
  return name !== "" && !name.includes("=") && !reserved.has(name);
}

function withoutQuotes(quoted: string): string {
  return quoted.replace(piece, (_, single, double, plain) => single ?? double ?? plain);
}

function endOf(pattern: RegExp, text: string, position: number): number | undefined {
  const found = match(pattern, text, position);
  return found && position + found[0].length;
}

function match(pattern: RegExp, text: string, position: number): RegExpExecArray | undefined {
  pattern.lastIndex = position;
  return pattern.exec(text) ?? undefined;
}
