/** Two texts and their names. */
export interface CoarsePatchOptions {
  readonly oldName: string;
  readonly newName: string;
  readonly before: string;
  readonly after: string;
}

const contextLines = 3;

/**
 * A unified diff in one hunk: everything between the lines that both texts begin with and those that
 * both end with. Correct, though not the smallest; takes time in proportion to the texts.
 */
export function buildCoarsePatch(options: CoarsePatchOptions): string {
  const { oldName, newName } = options;
  const before = linesOf(options.before);
  const after = linesOf(options.after);
  const shorter = Math.min(before.length, after.length);
  const start = countWhile(shorter, (at) => before[at] === after[at]);
  const end = countWhile(shorter - start, (at) => before.at(-1 - at) === after.at(-1 - at));
  const from = Math.max(0, start - contextLines);
  const rest = Math.max(0, end - contextLines);
  const oldLines = before.length - rest - from;
  const newLines = after.length - rest - from;
  const hunk = [
    ...before.slice(from, start).map((line) => ` ${line}`),
    ...before.slice(start, before.length - end).map((line) => `-${line}`),
    ...after.slice(start, after.length - end).map((line) => `+${line}`),
    ...before.slice(before.length - end, before.length - rest).map((line) => ` ${line}`),
  ];
  const range = (lines: number) => `${lines === 0 ? from : from + 1},${lines}`;
  const header = `--- ${oldName}\n+++ ${newName}\n@@ -${range(oldLines)} +${range(newLines)} @@\n`;
  return header + hunk.map(withEnd).join("");
}

/** The lines of a text, each with its end; the last one may have none. */
function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function withEnd(line: string): string {
  return line.endsWith("\n") ? line : `${line}\n\\ No newline at end of file\n`;
}

function countWhile(most: number, fits: (at: number) => boolean): number {
  let count = 0;
  while (count < most && fits(count)) count += 1;
  return count;
}
