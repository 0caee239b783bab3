import { type Part, textOf } from "@dt/schema";

/** Maximum number of characters of a title. */
const MAX_TITLE_LENGTH = 80;

/**
 * Returns the title of a session from its first prompt: the first line with text, shortened at a word.
 * Returns undefined for a prompt without text.
 */
export function titleOf(parts: readonly Part[]): string | undefined {
  // A prompt may be huge, and a title needs only its beginning.
  const text = textOf(parts)
    .trimStart()
    .slice(0, 10 * MAX_TITLE_LENGTH);
  const [firstLine = ""] = text.split(/[\r\n]/, 1);
  const title = firstLine.replace(/\s+/g, " ").trim();
  if (title === "") return undefined;
  if (title.length <= MAX_TITLE_LENGTH) return title;
  const lastSpace = title.lastIndexOf(" ", MAX_TITLE_LENGTH - 1);
  if (lastSpace > MAX_TITLE_LENGTH / 2) return `${title.slice(0, lastSpace)}…`;
  // The cut may split a character that consists of two code units.
  return `${title.slice(0, MAX_TITLE_LENGTH - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
