import { textWidth } from "../text/text-width.js";

// biome-ignore lint/suspicious/noControlCharactersInRegex: what is sent to a terminal is control sequences
const sequence = /\x1b\[[0-?]*[ -/]*[@-~]/g;

/** The lines that a text leaves on a terminal, without what only styles them. Pure. */
export function linesOf(text: string): readonly string[] {
  return text === "" ? [] : text.replace(sequence, "").replace(/\n$/, "").split("\n");
}

/**
 * What takes the cursor from below some lines to the beginning of the first, and erases them, on a
 * terminal that is so many columns wide now: one that became narrower has broken them. Pure.
 */
export function eraseLines(lines: readonly string[], columns: number): string {
  const up = lines.reduce((sum, each) => {
    return sum + Math.max(1, Math.ceil(textWidth(each) / columns));
  }, 0);
  // Line by line: tmux takes a screen that is erased from its top for one to keep in its history.
  return `\r\x1b[J${"\x1b[1A\x1b[2K".repeat(up)}`;
}
