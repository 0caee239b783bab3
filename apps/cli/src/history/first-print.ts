import { type Line, line } from "../text/span.js";
import type { Entry } from "./advance-transcript.js";

/**
 * What is printed when a screen opens: what it says itself, and of a conversation that was there before
 * the last lines. What is left out is not even made. Pure.
 */
export function firstPrint(
  entries: readonly Entry[],
  linesOf: (entry: Entry) => readonly Line[],
  most: number,
): readonly Line[] {
  const found = entries.findIndex(({ type }) => type !== "notice");
  const start = found === -1 ? entries.length : found;
  const kept: (readonly Line[])[] = [];
  let count = 0;
  let next = entries.length;
  while (next > start && count < most) {
    next -= 1;
    const entry = entries[next];
    const lines = entry === undefined ? [] : linesOf(entry);
    kept.unshift(lines);
    count += lines.length;
  }
  const isWhole = next === start && count <= most;
  const cut = line("… what came before: Ctrl-O shows the whole history", { isDim: true });
  return [
    ...entries.slice(0, start).flatMap(linesOf),
    ...(isWhole ? [] : [cut]),
    ...kept.flat().slice(-most),
  ];
}
