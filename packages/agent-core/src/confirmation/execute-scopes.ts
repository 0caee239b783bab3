import path from "node:path";
import type { ShellPart } from "../shell/shell-part.js";
import type { Action } from "../tools/action.js";
import { findReaderWords } from "./harmless-readers.js";
import { findRunnerWords } from "./project-runners.js";
import { type Scope, scopeKey } from "./scope.js";

type Execution = Action & { type: "execute" };

/**
 * What an "always" for a shell command covers. Where every part is known to be harmless: the program
 * of each, with its subcommand where it has one, and for what builds or tests a project the directory
 * too. Otherwise this very command in this very directory. Empty where nobody can say what would run,
 * or where a redirection leaves the directory.
 */
export function executeScopes(action: Execution): readonly Scope[] {
  const { parts = [], directory } = action;
  if (!parts.every((part) => isKnown(part) && writesInside(part, parts, directory))) return [];
  const told = parts.filter((part) => !isTransparent(part));
  const scopes = told.map((part) => partScope(part, directory));
  const known = scopes.filter((scope) => scope !== undefined);
  if (known.length === 0 || known.length < told.length) {
    return parts.length > 0 && parts.every(isLiteral) ? [exactScope(action)] : [];
  }
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

// They do nothing but run what they are given, and that is a part of its own.
const transparent = new Set([
  ...["sh", "bash", "dash", "command", "builtin", "env", "nice", "nohup", "time", "timeout"],
  "xargs",
]);

function isTransparent({ program = "", args }: ShellPart): boolean {
  const name = systemName(program) ?? "";
  const movesAway = name === "env" && args.some((arg) => /^(-\w*C|--c)/.test(arg ?? ""));
  return transparent.has(name) && !movesAway;
}

/** Undefined where a part is covered by its exact text alone. */
function partScope({ program = "", args }: ShellPart, directory: string): Scope | undefined {
  if (program === "cd") return isStepDown(args) ? stepDownScope : undefined;
  const name = systemName(program);
  if (name === undefined) return undefined;
  const looking = findReaderWords(name, args);
  if (looking !== undefined) {
    const words = wordsOf(program, looking);
    return { scope: scopeKey("execute", words), words };
  }
  const running = findRunnerWords(name, args);
  if (running === undefined) return undefined;
  const words = wordsOf(program, running);
  // Elsewhere the same words build another project.
  return {
    scope: scopeKey("execute-project", directory, words),
    words: `${words} in ${directory}`,
  };
}

function wordsOf(program: string, [, ...rest]: readonly string[]): string {
  return rest.length === 0 ? `${program} commands` : [program, ...rest].join(" ");
}

// A path that leads elsewhere may be any program, whatever it is called.
function systemName(program: string): string | undefined {
  return /^(?:\/(?:usr\/(?:local\/)?)?bin\/)?([\w:.-]+)$/.exec(program)?.[1];
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
