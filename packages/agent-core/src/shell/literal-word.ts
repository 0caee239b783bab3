import type { Assignment, Word, WordPart } from "unbash";

/** Returns the value of a word; undefined if the shell computes the value at run time. */
export function literalOf(word: Word | Assignment): string | undefined {
  if (word.type === "Assignment") return literalAssignment(word);
  if (word.text.startsWith("~")) return undefined;
  return (word.parts ?? []).every(isLiteral) ? word.value : undefined;
}

function literalAssignment({ name, index, append, value }: Assignment): string | undefined {
  if (index !== undefined || value.type !== "Word") return undefined;
  const literal = literalOf(value);
  return literal === undefined ? undefined : `${name}${append ? "+=" : "="}${literal}`;
}

function isLiteral(part: WordPart): boolean {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return true;
    case "DoubleQuoted":
      return part.parts.every(isLiteral);
    default:
      return false;
  }
}
