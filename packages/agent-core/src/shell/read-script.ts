import type { Command, ParsedScript, Redirection, SyntaxNode } from "unbash";
import { evaluatesData } from "./evaluates-data.js";
import { literalOf } from "./literal-word.js";
import { COMPUTED_PART, type ShellPart } from "./shell-part.js";

/** Calls the callback for each direct child of a node. */
type ForEachChild = (node: SyntaxNode, callback: (child: SyntaxNode) => void) => void;

/** Returns the simple commands of a script in source order; undefined if it is invalid or ambiguous. */
export function readScript(
  script: ParsedScript,
  forEachChild: ForEachChild,
): readonly ShellPart[] | undefined {
  const parts: ShellPart[] = [];
  let isClear = true;
  const visit = (node: SyntaxNode): void => {
    if (isUnclear(node)) isClear = false;
    if (evaluatesData(node)) parts.push(COMPUTED_PART);
    if (node.type === "Command") parts.push(...toParts(node));
    const first = parts.length;
    forEachChild(node, visit);
    if (node.type === "Redirected") addWrites(parts, first, writesOf(node.redirects));
  };
  visit(script);
  return isClear ? parts : undefined;
}

// Returns true for syntax errors, and for syntax that bash and sh read differently: an extended glob, and
// `$'…'` with an escaped quote.
function isUnclear(node: SyntaxNode): boolean {
  switch (node.type) {
    case "Script":
      return (node.errors ?? []).length > 0;
    case "CommandExpansion":
    case "ProcessSubstitution":
    case "ArithmeticCommandExpansion":
      return node.script === undefined;
    case "Unknown":
    case "ExtendedGlob":
      return true;
    case "AnsiCQuoted":
      return node.text.includes("\\'");
    default:
      return false;
  }
}

function toParts({ name, args, redirects }: Command): readonly ShellPart[] {
  const writes = writesOf(redirects);
  if (name !== undefined) {
    return [{ program: literalOf(name), args: args.map(literalOf), writes }];
  }
  return writes.length === 0 ? [] : [{ program: ":", args: [], writes }];
}

// Adds the files of a redirection to the command that is redirected. If a whole group is redirected, the
// first command of the group gets the files.
function addWrites(parts: ShellPart[], index: number, writes: ShellPart["writes"]): void {
  if (writes.length === 0) return;
  const part = parts[index] ?? { program: ":", args: [], writes: [] };
  parts[index] = { ...part, writes: [...part.writes, ...writes] };
}

function writesOf(redirects: readonly Redirection[]): ShellPart["writes"] {
  return redirects.flatMap((redirect) => {
    if (redirect.type !== "Redirect") return [];
    const target = redirect.target === undefined ? undefined : literalOf(redirect.target);
    return isWrite(redirect.operator, target) ? [target] : [];
  });
}

function isWrite(operator: string, target: string | undefined): boolean {
  if (target === "/dev/null") return false;
  // For these targets, bash opens a network connection even with `<`, so reading counts as writing.
  if (target?.startsWith("/dev/tcp/") || target?.startsWith("/dev/udp/")) return true;
  if (operator === "<") return false;
  const isDescriptor = operator.endsWith("&") && /^(\d+-?|-)$/.test(target ?? "");
  return !isDescriptor && operator !== "<&";
}
