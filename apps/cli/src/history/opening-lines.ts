import { type Line, line } from "../text/span.js";
import type { Entry } from "./advance-transcript.js";

/**
 * Lays out the lines that are printed when a screen opens: the screen's own notices, then the last lines of
 * an existing conversation. Earlier entries of the conversation are not laid out, because that would be
 * slow. Pure.
 */
export function openingLines(
  entries: readonly Entry[],
  linesOf: (entry: Entry) => readonly Line[],
  maxLines: number,
): readonly Line[] {
  const found = entries.findIndex(({ type }) => type !== "notice" && type !== "picture");
  const start = found === -1 ? entries.length : found;
  const kept: (readonly Line[])[] = [];
  let count = 0;
  let next = entries.length;
  while (next > start && count < maxLines) {
    next -= 1;
    const entry = entries[next];
    const lines = entry === undefined ? [] : linesOf(entry);
    kept.unshift(lines);
    count += lines.length;
  }
  const isWhole = next === start && count <= maxLines;
  const cut = line("… earlier lines are not shown (Ctrl-O shows the whole history)", {
    isDim: true,
  });
  return [
    ...entries.slice(0, start).flatMap(linesOf),
    ...(isWhole ? [] : [cut]),
    ...kept.flat().slice(-maxLines),
  ];
}
