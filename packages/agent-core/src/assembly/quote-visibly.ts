import { quoteWord } from "../shell/quote-word.js";

/** Characters that a reader cannot see, or that change how the others are read. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}]/u;

/** Whether a text holds characters that a reader cannot see. */
export function hasUnseen(text: string): boolean {
  return unseen.test(text);
}

/**
 * A word as a shell must be given it, on one line. Characters that cannot be seen are written as
 * escapes, so that no new line or mark of direction moves the rest of a question out of view. Pure.
 */
export function showWord(word: string): string {
  if (!unseen.test(word)) return quoteWord(word);
  const escaped = word
    .replace(/['\\]/g, "\\$&")
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}]/gu, escapeCharacter);
  return `$'${escaped}'`;
}

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (character === "\n") return "\\n";
  if (character === "\t") return "\\t";
  return code > 0xffff
    ? `\\U${code.toString(16).padStart(8, "0")}`
    : `\\u${code.toString(16).padStart(4, "0")}`;
}
