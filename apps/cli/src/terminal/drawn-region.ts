import { textWidth } from "../text/text-width.js";

// biome-ignore lint/suspicious/noControlCharactersInRegex: what is sent to a terminal is control sequences
const sequence = /\x1b\[[0-?]*[ -/]*[@-~]/g;

/** The lines that stand at the cursor after something was written: what has text replaces them. Pure. */
export function linesAfter(lines: readonly string[], written: string): readonly string[] {
  const text = written.replace(sequence, "");
  return text === "" ? lines : text.replace(/\n$/, "").split("\n");
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
