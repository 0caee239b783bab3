import type { FileDiff } from "@dt/schema";
import { showControl } from "@dt/schema";
import { type Line, line, type Style } from "./span.js";
import { wrapLine } from "./wrap-line.js";

/** A change as the lines of a screen: what comes is green, what goes is red. */
export function diffLines(diff: FileDiff, width: number): readonly Line[] {
  return hunksOf(showControl(diff.formattedDiff ?? wholeFile(diff)))
    .replaceAll("\t", "    ")
    .trimEnd()
    .split("\n")
    .flatMap((each) => wrapLine(line(each, styleOf(each)), { width, rest: [{ text: "  " }] }));
}

// The lines before the first hunk name the file, which is named above it already.
function hunksOf(diff: string): string {
  const start = diff.search(/^@@/m);
  return start < 0 ? diff : diff.slice(start);
}

// For agents that send no diff.
function wholeFile({ newContent }: FileDiff): string {
  return newContent.replace(/^/gm, "+");
}

function styleOf(text: string): Style {
  if (text.startsWith("+")) return { colour: "green" };
  if (text.startsWith("-")) return { colour: "red" };
  if (text.startsWith("@@")) return { colour: "cyan" };
  return { isDim: true };
}
