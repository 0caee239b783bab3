import { findHiddenCommands } from "./find-hidden-commands.js";
import { readScript } from "./read-script.js";
import type { ShellPart } from "./shell-part.js";

// We use unbash because it is typed and loads in 15 ms. sh-syntax returns no tree below statements
// and starts its wasm for every call. tree-sitter-bash has 1.6 MB of wasm and an untyped tree.
type Parser = typeof import("unbash");

const MAX_LENGTH = 64 * 1024;
// For each of these openings, the parser searches the rest of the command for the matching end. Too many
// openings in a long command would therefore take too long.
const OPENINGS = /[{[(`]|<</g;
const MAX_SEARCH_STEPS = 4_000_000;
// Each wrapper is one level, so `nohup timeout 5 env A=1 sh -c …` has four levels.
const MAX_NESTING = 20;

/**
 * Returns every simple command that a shell command may run, including commands inside wrappers such as
 * `bash -c`. If in doubt, also returns commands that may never run. Never throws.
 *
 * Returns undefined if the command has one of these:
 * - a syntax error, or syntax that `sh` and `bash` read differently;
 * - a control character, or more than 64 KB;
 * - too many wrappers inside each other, or too many brackets and backquotes for its length.
 */
export async function parseShellCommand(
  command: string,
): Promise<readonly ShellPart[] | undefined> {
  if (command.length > MAX_LENGTH) return undefined;
  const parser = await import("unbash");
  try {
    return partsOfScript(command, parser, 0);
  } catch {
    // The command made the parser throw, for example by a stack overflow.
    return undefined;
  }
}

function partsOfScript(
  script: string,
  parser: Parser,
  nesting: number,
): readonly ShellPart[] | undefined {
  if (nesting > MAX_NESTING || isCostly(script) || hasControlCharacter(script)) return undefined;
  const written = readScript(parser.parse(script), parser.forEachChild);
  return collectParts(written, (part) => withHiddenCommands(part, parser, nesting));
}

function withHiddenCommands(
  part: ShellPart,
  parser: Parser,
  nesting: number,
): readonly ShellPart[] | undefined {
  if (nesting > MAX_NESTING) return undefined;
  const inner = collectParts(findHiddenCommands(part), (hidden) =>
    "script" in hidden
      ? partsOfScript(hidden.script, parser, nesting + 1)
      : withHiddenCommands(hidden, parser, nesting + 1),
  );
  return inner === undefined ? undefined : [part, ...inner];
}

function collectParts<TItem>(
  items: readonly TItem[] | undefined,
  partsOf: (item: TItem) => readonly ShellPart[] | undefined,
): readonly ShellPart[] | undefined {
  const parts: ShellPart[] = [];
  for (const item of items ?? []) {
    const found = partsOf(item);
    if (found === undefined) return undefined;
    parts.push(...found);
  }
  return items === undefined ? undefined : parts;
}

function isCostly(script: string): boolean {
  return (script.match(OPENINGS)?.length ?? 0) * script.length > MAX_SEARCH_STEPS;
}

// Returns true if a script contains a control character. A carriage return looks like a line end to a person,
// but not to the shell. Other control characters can hide text.
function hasControlCharacter(script: string): boolean {
  return /[^\P{Cc}\t\n]/u.test(script);
}
