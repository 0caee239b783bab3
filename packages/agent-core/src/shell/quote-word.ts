/** Quotes a word for a POSIX shell. A word that needs no quotes is returned unchanged. */
export function quoteWord(word: string): string {
  if (/^[\w@%+:,./-]+$/.test(word) || /^-[\w@%+:,./=-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", "'\\''")}'`;
}
