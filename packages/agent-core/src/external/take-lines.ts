/**
 * Returns some lines of a text, with their line breaks. Lines are counted from 1. The text is not split, because a text
 * with many lines would then need much time and memory for each request. Pure.
 */
export function takeLines(text: string, line: number, limit: number | undefined): string {
  const start = skipLines(text, 0, line - 1);
  return text.slice(start, limit === undefined ? undefined : skipLines(text, start, limit));
}

/** Returns the index of the line that is `count` lines after the line at `start`; the end of the text if there is none. */
function skipLines(text: string, start: number, count: number): number {
  let at = start;
  for (let skipped = 0; skipped < count && at < text.length; skipped += 1) {
    const end = text.indexOf("\n", at);
    at = end === -1 ? text.length : end + 1;
  }
  return at;
}
