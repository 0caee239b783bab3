/** A place in a text that looks like what was sought. */
export interface NearestText {
  /** Its first line, from 1. */
  readonly line: number;
  readonly text: string;
}

/** Below this the place has nothing to do with what was sought. */
const leastLikeness = 0.4;
const mostShownLines = 30;
/** In a longer text nothing is sought after these: comparing takes time. */
const mostSearchedLines = 10_000;
const mostSearchedCharacters = 200_000;
/** Of a longer text these many lines are compared. */
const mostComparedLines = 12;
/** Of a longer line these many characters are compared. */
const mostComparedCharacters = 200;

/** The lines of a text that are most like the lines of another; undefined where none are. Pure. */
export function findNearestText(text: string, sought: string): NearestText | undefined {
  const lines = searchedLines(text);
  const wanted = withoutEmptyEnds(sought).split("\n", mostShownLines);
  const compared = wanted.slice(0, mostComparedLines).map(toPairs);
  const present = lines.map(toPairs);
  let best = { line: 0, likeness: 0 };
  for (let line = 0; line < lines.length; line += 1) {
    const likeness = likenessAt(present, line, compared);
    if (likeness > best.likeness) best = { line, likeness };
  }
  if (best.likeness < leastLikeness) return undefined;
  const end = best.line + wanted.length;
  return { line: best.line + 1, text: lines.slice(best.line, end).join("\n") };
}

function searchedLines(text: string): readonly string[] {
  const lines = text.split("\n", mostSearchedLines);
  let left = mostSearchedCharacters;
  const end = lines.findIndex((line) => {
    left -= Math.min(line.length, mostComparedCharacters);
    return left < 0;
  });
  return end < 0 ? lines : lines.slice(0, end);
}

/** A text without the empty lines around it. A regular expression would try each line end again. */
function withoutEmptyEnds(text: string): string {
  let start = 0;
  let end = text.length;
  while (text[start] === "\n") start += 1;
  while (end > start && text[end - 1] === "\n") end -= 1;
  return text.slice(start, end);
}

/** The pairs of neighbouring characters of a line, sorted; spaces at its ends do not count. */
function toPairs(line: string): readonly string[] {
  const trimmed = line.trim().slice(0, mostComparedCharacters);
  if (trimmed.length < 2) return [trimmed];
  return Array.from({ length: trimmed.length - 1 }, (_, at) => trimmed.slice(at, at + 2)).sort();
}

type Lines = readonly (readonly string[])[];

function likenessAt(present: Lines, line: number, compared: Lines): number {
  let sum = 0;
  let weight = 0;
  for (const [at, pairs] of compared.entries()) {
    weight += pairs.length;
    sum += pairs.length * likenessOf(present[line + at] ?? [], pairs);
  }
  return sum / weight;
}

/** How many pairs two lines share, from 0 to 1 (Dice's coefficient). */
function likenessOf(one: readonly string[], other: readonly string[]): number {
  let shared = 0;
  let left = 0;
  let right = 0;
  while (left < one.length && right < other.length) {
    const [a = "", b = ""] = [one[left], other[right]];
    if (a === b) shared += 1;
    if (a <= b) left += 1;
    if (b <= a) right += 1;
  }
  return (2 * shared) / (one.length + other.length);
}
