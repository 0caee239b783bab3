import { textWidth } from "../text/text-width.js";

// biome-ignore lint/suspicious/noControlCharactersInRegex: what is sent to a terminal is control sequences
const sequence = /\x1b\[[0-?]*[ -/]*[@-~]/g;

/** The lines that a text leaves on a terminal, without what only styles them. Pure. */
export function linesOf(text: string): readonly string[] {
  return text === "" ? [] : text.replace(sequence, "").replace(/\n$/, "").split("\n");
}

/** How many rows lines take on a terminal of so many columns: what is longer is broken. Pure. */
export function countRows(lines: readonly string[], columns: number): number {
  return lines.reduce((sum, each) => sum + rowsOf(each, columns), 0);
}

/** What stands in the first so many rows of lines; of a line that goes on below, as much of it. Pure. */
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
    // Only how wide it is matters any more.
    first.push(rows <= left ? each : "x".repeat(left * columns));
    left -= rows;
  }
  return first;
}

function rowsOf(line: string, columns: number): number {
  return Math.max(1, Math.ceil(textWidth(line) / columns));
}

/** What takes the cursor from below so many rows to the beginning of the first, and erases them. Pure. */
export function eraseRows(count: number): string {
  // Row by row: tmux takes a screen that is erased from its top for one to keep in its history.
  return `\r\x1b[J${"\x1b[1A\x1b[2K".repeat(count)}`;
}
