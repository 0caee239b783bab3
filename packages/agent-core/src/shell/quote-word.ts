/** A word as a POSIX shell must be given it: quoted only where it would read it otherwise. */
export function quoteWord(word: string): string {
  if (/^[\w@%+:,./-]+$/.test(word) || /^-[\w@%+:,./=-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", "'\\''")}'`;
}
