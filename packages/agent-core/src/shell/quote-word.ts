/** Quotes a word for a POSIX shell, only if necessary. */
export function quoteWord(word: string): string {
  if (/^[\w@%+:,./-]+$/.test(word) || /^-[\w@%+:,./=-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", "'\\''")}'`;
}
