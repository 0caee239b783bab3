/** Maximum number of edits between the misspelt word and the intended word. */
const MAX_EDITS = 2;

/** Finds the known word that a misspelt word probably means. Returns undefined if no word is similar. */
export function findNearest(word: string, known: readonly string[]): string | undefined {
  let nearest: string | undefined;
  // A word may have one edit for every three letters, up to MAX_EDITS.
  let fewest = Math.min(MAX_EDITS, Math.floor(word.length / 3)) + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - word.length) >= fewest) continue;
    const edits = countEdits(word, candidate);
    if (edits >= fewest) continue;
    nearest = candidate;
    fewest = edits;
  }
  return nearest;
}

// Weights of edits. Swapped letters weigh least because they are the most common mistake; a wrong
// letter is the rarest.
const SWAP_WEIGHT = 0.9;
const INSERT_OR_DELETE_WEIGHT = 1;
const REPLACE_WEIGHT = 1.1;

/** Computes the weighted edit distance row by row; two swapped letters are one edit. */
function countEdits(one: string, other: string): number {
  let before: readonly number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let line = 0; line < one.length; line += 1) {
    const next = [line + 1];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = other[column - 1] === one[line];
      const isSwapped = other[column - 1] === one[line - 1] && other[column - 2] === one[line];
      const edits = [
        (row[column - 1] ?? 0) + (isSame ? 0 : REPLACE_WEIGHT),
        (row[column] ?? 0) + INSERT_OR_DELETE_WEIGHT,
        (next[column - 1] ?? 0) + INSERT_OR_DELETE_WEIGHT,
        ...(isSwapped && line > 0 && column > 1 ? [(before[column - 2] ?? 0) + SWAP_WEIGHT] : []),
      ];
      next.push(Math.min(...edits));
    }
    before = row;
    row = next;
  }
  return row[other.length] ?? 0;
}
