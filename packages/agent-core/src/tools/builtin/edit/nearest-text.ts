/** The lines of a text that are most similar to the wanted lines. */
export interface NearestText {
  /** Line number of the first of these lines, counted from 1. */
  readonly line: number;
  readonly text: string;
}

/** A match below this similarity is treated as accidental. */
const MIN_SIMILARITY = 0.4;
const MAX_SHOWN_LINES = 30;
/** Maximum number of lines that are searched, to bound the time. */
const MAX_SEARCHED_LINES = 10_000;
const MAX_SEARCHED_CHARACTERS = 200_000;
/** Maximum number of lines of the wanted text that are compared. */
const MAX_COMPARED_LINES = 12;
/** Maximum number of characters of a line that are compared. */
const MAX_COMPARED_CHARACTERS = 200;

/**
 * Returns the lines of a text that are most similar to the wanted lines; undefined if no lines are similar.
 * Pure.
 */
export function findNearestText(text: string, sought: string): NearestText | undefined {
  const lines = searchedLines(text);
  const wanted = withoutEmptyEnds(sought).split("\n", MAX_SHOWN_LINES);
  const compared = wanted.slice(0, MAX_COMPARED_LINES).map(toPairs);
  const present = lines.map(toPairs);
  let best = { line: 0, similarity: 0 };
  for (let line = 0; line < lines.length; line += 1) {
    const similarity = similarityAt(present, line, compared);
    if (similarity > best.similarity) best = { line, similarity };
  }
  if (best.similarity < MIN_SIMILARITY) return undefined;
  const end = best.line + wanted.length;
  return { line: best.line + 1, text: lines.slice(best.line, end).join("\n") };
}

function searchedLines(text: string): readonly string[] {
  const lines = text.split("\n", MAX_SEARCHED_LINES);
  let left = MAX_SEARCHED_CHARACTERS;
  const end = lines.findIndex((line) => {
    left -= Math.min(line.length, MAX_COMPARED_CHARACTERS);
    return left < 0;
  });
  return end < 0 ? lines : lines.slice(0, end);
}

/** Removes empty lines at both ends. Uses no regular expression, because it could backtrack for a long time. */
function withoutEmptyEnds(text: string): string {
  let start = 0;
  let end = text.length;
  while (text[start] === "\n") start += 1;
  while (end > start && text[end - 1] === "\n") end -= 1;
  return text.slice(start, end);
}

/** Returns the sorted pairs of neighbouring characters of a line, ignoring spaces at its ends. */
function toPairs(line: string): readonly string[] {
  const trimmed = line.trim().slice(0, MAX_COMPARED_CHARACTERS);
  if (trimmed.length < 2) return [trimmed];
  return Array.from({ length: trimmed.length - 1 }, (_, at) => trimmed.slice(at, at + 2)).sort();
}

type Lines = readonly (readonly string[])[];

function similarityAt(present: Lines, line: number, compared: Lines): number {
  let sum = 0;
  let weight = 0;
  for (const [at, pairs] of compared.entries()) {
    weight += pairs.length;
    sum += pairs.length * similarityOf(present[line + at] ?? [], pairs);
  }
  return sum / weight;
}

/** Returns the similarity of two lines from 0 to 1 (Dice's coefficient). */
function similarityOf(one: readonly string[], other: readonly string[]): number {
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
