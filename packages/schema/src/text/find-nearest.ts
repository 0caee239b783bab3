/** The most letters that may differ from what was meant. */
const MOST_EDITS = 2;

/** The known word that a misspelt one probably means; undefined if none is near. Pure. */
export function findNearest(word: string, known: readonly string[]): string | undefined {
  let nearest: string | undefined;
  let fewest = Math.min(MOST_EDITS, Math.floor(word.length / 3)) + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - word.length) >= fewest) continue;
    const edits = countEdits(word, candidate);
    if (edits >= fewest) continue;
    nearest = candidate;
    fewest = edits;
  }
  return nearest;
}

/** The Levenshtein distance, row by row. */
function countEdits(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [line, letter] of [...one].entries()) {
    const next = [line + 1];
    for (let column = 1; column <= other.length; column += 1) {
      const replaced = (row[column - 1] ?? 0) + Number(other[column - 1] !== letter);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
