/** True if the text has line ends and every line end is CRLF. */
export function isCrlf(text: string): boolean {
  return text.includes("\r\n") && !/(^|[^\r])\n/.test(text);
}

/** Converts all line ends to LF. */
export function toLf(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

/** Converts all line ends to CRLF. */
export function toCrlf(text: string): string {
  return toLf(text).replaceAll("\n", "\r\n");
}

/**
 * Returns a new text with the line ends of the old text. Models write LF, so a new text with only LF
 * is converted to CRLF if the old text has only CRLF.
 */
export function keepLineEndings(oldText: string | undefined, replacement: string): string {
  if (oldText === undefined || !isCrlf(oldText) || replacement.includes("\r")) return replacement;
  return toCrlf(replacement);
}
