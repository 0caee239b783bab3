import { textWidth } from "../text/text-width.js";

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with a control character
const ESCAPE_SEQUENCE = /\x1b\[[0-?]*[ -/]*[@-~]/g;

/** Splits drawn text into lines and removes escape sequences. Pure. */
export function linesOf(text: string): readonly string[] {
  return text === "" ? [] : text.replace(ESCAPE_SEQUENCE, "").replace(/\n$/, "").split("\n");
}

/** Counts the rows that lines take on a terminal, which wraps long lines. Pure. */
export function countRows(lines: readonly string[], columns: number): number {
  return lines.reduce((sum, each) => sum + rowsOf(each, columns), 0);
}

/** Returns the lines in the first rows; a line that continues below is cut. Pure. */
export function firstRows(
  lines: readonly string[],
  columns: number,
  count: number,
): readonly string[] {
  const first: string[] = [];
  let left = count;
  for (const each of lines) {
    if (left <= 0) break;
    const rows = rowsOf(each, columns);
    // Only the width of a cut line matters, so its text is replaced.
    first.push(rows <= left ? each : "x".repeat(left * columns));
    left -= rows;
  }
  return first;
}

function rowsOf(line: string, columns: number): number {
  return Math.max(1, Math.ceil(textWidth(line) / columns));
}

/** Creates the escape sequence that erases the rows above the cursor and moves the cursor up. Pure. */
export function eraseRows(count: number): string {
  // The rows are erased from the last to the first. If they were erased from the top, tmux would copy them
  // into its history.
  return `\r\x1b[J${"\x1b[1A\x1b[2K".repeat(count)}`;
}
