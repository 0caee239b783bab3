/** Whether every line of a text ends with CRLF, and there is at least one. */
export function isCrlf(text: string): boolean {
  return text.includes("\r\n") && !/(^|[^\r])\n/.test(text);
}

/** A text with LF throughout. */
export function toLf(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

/** A text with CRLF throughout. */
export function toCrlf(text: string): string {
  return toLf(text).replaceAll("\n", "\r\n");
}

/**
 * What is written over a text: models write LF, so where the file had CRLF throughout and the
 * replacement has LF throughout, it is written with CRLF.
 */
export function keepLineEndings(oldText: string | undefined, replacement: string): string {
  if (oldText === undefined || !isCrlf(oldText) || replacement.includes("\r")) return replacement;
  return toCrlf(replacement);
}
