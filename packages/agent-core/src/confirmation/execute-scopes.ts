import path from "node:path";
import type { ShellPart } from "../shell/shell-part.js";
import type { Action } from "../tools/action.js";
import { hasSubcommands, isRisky } from "./program-traits.js";
import { type Scope, scopeKey } from "./scope.js";

type Execution = Action & { type: "execute" };

/**
 * What an "always" for a shell command covers: the program of every part, with its subcommand where
 * it has one. A part that may do harm narrows it to this very command in this very directory. Empty
 * where nobody can say what would run, or where a redirection leaves the directory.
 */
export function executeScopes(action: Execution): readonly Scope[] {
  const { parts = [], directory } = action;
  if (!parts.every((part) => isKnown(part) && writesInside(part, parts, directory))) return [];
  const scopes = parts.map(partScope);
  const known = scopes.filter((scope) => scope !== undefined);
  if (known.length < parts.length) return parts.every(isLiteral) ? [exactScope(action)] : [];
  const writes = parts.some((part) => part.writes.length > 0) ? [writeScope(directory)] : [];
  return [...known, ...writes];
}

/** Whether a path lies in a directory, going by its name alone. */
export function liesIn(directory: string, file: string): boolean {
  const relative = path.relative(directory, file);
  return relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

/** Whether a part may change the directory in which those after it run. */
export function movesDirectory({ program }: ShellPart): boolean {
  return program === "cd" || program === "pushd" || program === "popd";
}

function isKnown({ program }: ShellPart): boolean {
  return program !== undefined;
}

function writesInside(
  { writes }: ShellPart,
  parts: readonly ShellPart[],
  directory: string,
): boolean {
  const hasMoved = parts.some(movesDirectory);
  return writes.every(
    (file) =>
      file !== undefined &&
      (path.isAbsolute(file) || !hasMoved) &&
      liesIn(directory, path.resolve(directory, file)),
  );
}

function isLiteral({ args }: ShellPart): boolean {
  return !args.includes(undefined);
}

/** Undefined where a part is covered by its exact text alone. */
function partScope(part: ShellPart): Scope | undefined {
  const { program = "", args } = part;
  if (program === "cd") return isStepDown(args) ? stepDownScope : undefined;
  if (!isPlainName(program) || isRisky(part)) return undefined;
  const words = hasSubcommands(program) ? subcommandWords(part) : [program];
  if (words === undefined) return undefined;
  const text = words.join(" ");
  return {
    scope: scopeKey("execute", text),
    words: words.length > 1 ? text : `${text} commands`,
  };
}

// A relative path names another program in another directory; an odd name could fool the reader.
function isPlainName(program: string): boolean {
  return /^[\w@%+.:[\]-]+$/.test(program) || /^\/[\w@%+./-]+$/.test(program);
}

// `npm run` alone would cover every script; options before the subcommand can change what it means.
function subcommandWords({ program = "", args }: ShellPart): readonly string[] | undefined {
  const [subcommand, operand] = args;
  const words = subcommand === "run" ? [program, subcommand, operand] : [program, subcommand];
  return words.every(isSubcommand) ? words : undefined;
}

function isSubcommand(word: string | undefined): word is string {
  return word !== undefined && /^[\w@/][\w@:./-]*$/.test(word);
}

function isStepDown(args: ShellPart["args"]): boolean {
  const [directory, ...rest] = args;
  return (
    rest.length === 0 &&
    directory !== undefined &&
    /^[^-/\\]/.test(directory) &&
    !directory.split(/[/\\]/).includes("..")
  );
}

const stepDownScope: Scope = {
  scope: scopeKey("execute", "cd"),
  words: "cd into subdirectories",
};

function writeScope(directory: string): Scope {
  return {
    scope: scopeKey("execute-write", directory),
    words: `output written to files in ${directory}`,
  };
}

function exactScope({ command, directory }: Execution): Scope {
  return {
    scope: scopeKey("execute-exact", directory, command),
    words: `exactly this command in ${directory}`,
  };
}
