import type { FileDiff } from "@dt/schema";
import { showControl } from "@dt/schema";
import { type Line, line, type Style } from "./span.js";
import { wrapLine } from "./wrap-line.js";

/** Maximum number of lines. A longer diff is cut, because wrapping it takes seconds. */
const MAX_LINES = 5000;
/** Maximum number of characters. A longer diff is cut. */
const MAX_LENGTH = 500_000;

/** Lays a file change out as lines of a screen: added lines are green, removed lines are red. */
export function diffLines(diff: FileDiff, width: number): readonly Line[] {
  const whole = hunksOf(diff.formattedDiff ?? wholeFile(diff)).trimEnd();
  const lines = whole.slice(0, MAX_LENGTH).split("\n", MAX_LINES);
  const hiddenLength = whole.length - lines.join("\n").length;
  const shown = showControl(lines.join("\n")).replaceAll("\t", "    ").split("\n");
  const more = line(`… and ${hiddenLength} more characters, not shown`, { colour: "yellow" });
  return [
    ...shown.flatMap((each) =>
      wrapLine(line(each, styleOf(each)), { width, rest: [{ text: "  " }] }),
    ),
    ...(hiddenLength > 0 ? wrapLine(more, { width }) : []),
  ];
}

// Removes the lines before the first hunk. They repeat the file name, which the caller already shows.
function hunksOf(diff: string): string {
  const start = diff.search(/^@@/m);
  return start < 0 ? diff : diff.slice(start);
}

// Marks every line of the new content as added, because some agents send the new content without a diff.
function wholeFile({ newContent }: FileDiff): string {
  return newContent.replace(/\n$/, "").replace(/^/gm, "+");
}

function styleOf(text: string): Style {
  if (text.startsWith("+")) return { colour: "green" };
  if (text.startsWith("-")) return { colour: "red" };
  if (text.startsWith("@@")) return { colour: "cyan" };
  return { isDim: true };
}
