/** A program for which "always" allows every command with the same options and any other arguments. */
export interface CoveredProgram {
  /** Letters of options that take no value, follow no links and write nothing. */
  readonly flags: string;
  /** Letters of options that take a number, as in `-n 5`, `-n5` and `-5`. */
  readonly numbers?: string;
  /**
   * Letters of further options with which the program reads only the files among its arguments. For a command
   * with one of these options, "always" allows only the exact text.
   */
  readonly exact?: string;
  /** Set if the program opens no file at all. */
  readonly opensNothing?: true;
}

/**
 * Programs for which "always" may ignore all arguments but the options, because none of the ignored
 * arguments is code, a program to run or a file to write.
 *
 * A program belongs here only if its manual guarantees this for every argument that is not an option, with
 * each listed option, on every system. Its behaviour must not depend on files in the directory or on the
 * environment. With any other option, the command is remembered by its exact text.
 */
export const COVERED_PROGRAMS: ReadonlyMap<string, CoveredProgram> = new Map<
  string,
  CoveredProgram
>([
  ["basename", { flags: "", opensNothing: true }],
  ["cat", { flags: "benstuv", exact: "AET" }],
  ["cd", { flags: "" }],
  ["dirname", { flags: "", opensNothing: true }],
  ["du", { flags: "achks", exact: "0BSbdlmtx" }],
  ["echo", { flags: "Een", opensNothing: true }],
  ["grep", { flags: "EFHILchilnoqrsvwx", numbers: "ABCm", exact: "GPTUZabeyz" }],
  ["head", { flags: "", numbers: "cn", exact: "qvz" }],
  ["ls", { flags: "1AFRSadhlnprst", exact: "BCDGNQTUXZbcfgikmoquvwx" }],
  ["pwd", { flags: "LP", opensNothing: true }],
  ["stat", { flags: "", exact: "cft" }],
  ["tail", { flags: "", numbers: "cn", exact: "Ffqvz" }],
  ["true", { flags: "", opensNothing: true }],
  ["wc", { flags: "clmw", exact: "L" }],
]);

/** Long options with which these programs read only the files among their arguments and follow no links. */
const LONG_OPTIONS =
  /^--(all|almost-all|bytes|color|count|exclude|exclude-dir|files-with-matches|help|human-readable|ignore-case|include|line-number|lines|max-count|max-depth|no-messages|only-matching|recursive|reverse|sort|summarize|time|total|version|word-regexp)(=.*)?$/s;

const NO_OPTIONS: CoveredProgram = { flags: "" };

/**
 * True if a listed program, called with this option, reads only the files among its arguments. Other
 * options, such as `--files0-from` and `-R`, read names from a file or follow links. Pure.
 */
export function readsOnlyNamedFiles(program: string, option: string): boolean {
  if (option === "-" || option === "--" || LONG_OPTIONS.test(option)) return true;
  const {
    flags,
    numbers = "",
    exact = "",
    opensNothing,
  } = COVERED_PROGRAMS.get(program) ?? NO_OPTIONS;
  if (opensNothing) return true;
  const letters = `${flags}${numbers}${exact}0123456789`;
  return /^-\w+$/.test(option) && [...option.slice(1)].every((letter) => letters.includes(letter));
}

/** The words of a command, split into options and others. */
export interface SplitWords {
  /** The options and their numbers, as written. */
  readonly options: readonly string[];
  /** The words after the options; none of them begins with `-`. */
  readonly others: readonly string[];
}

/**
 * Splits the words of a command. Returns undefined if the program or an option is not listed, or if an option
 * follows another word. Pure.
 */
export function splitWords(program: string, words: readonly string[]): SplitWords | undefined {
  const covered = COVERED_PROGRAMS.get(program);
  if (covered === undefined) return undefined;
  const count = countOptions(words, covered);
  const others = words.slice(count);
  if (others.some((other) => other.startsWith("-"))) return undefined;
  return { options: words.slice(0, count), others };
}

function countOptions(words: readonly string[], { flags, numbers = "" }: CoveredProgram): number {
  let count = 0;
  for (;;) {
    const [word = "", next = ""] = words.slice(count);
    if (isCluster(word, flags) || isNumbered(word, numbers)) count += 1;
    else if (isLetterOf(word, numbers) && /^\d+$/.test(next)) count += 2;
    else return count;
  }
}

function isCluster(word: string, flags: string): boolean {
  return /^-[A-Za-z1]+$/.test(word) && [...word.slice(1)].every((letter) => flags.includes(letter));
}

function isNumbered(word: string, numbers: string): boolean {
  const [, letter] = /^-([A-Za-z]?)\d+$/.exec(word) ?? [];
  return letter !== undefined && numbers !== "" && numbers.includes(letter);
}

function isLetterOf(word: string, letters: string): boolean {
  return /^-[A-Za-z]$/.test(word) && letters.includes(word.charAt(1));
}
