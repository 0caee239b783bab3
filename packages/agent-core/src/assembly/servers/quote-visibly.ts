import { quoteWord } from "../../shell/quote-word.js";

/** Characters that are invisible, or change how other characters are displayed. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}]/u;

/** Returns true if a text contains invisible characters. */
export function hasInvisible(text: string): boolean {
  return INVISIBLE.test(text);
}

/**
 * Quotes a word for a shell, on one line. Invisible characters become escapes, so that no line break or
 * direction mark can hide a part of a question. Pure.
 */
export function quoteVisibly(word: string): string {
  if (!INVISIBLE.test(word)) return quoteWord(word);
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
