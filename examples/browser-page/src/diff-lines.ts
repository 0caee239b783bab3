/** A line of a diff. */
export interface DiffLine {
  readonly type: "same" | "added" | "removed";
  readonly text: string;
}

/**
 * Maximum number of pairs of lines to compare, because comparing is slow. If there are more pairs, the diff
 * has all old lines as removed and all new lines as added.
 */
const MAX_PAIRS = 4_000_000;

/** Compares two texts line by line. */
export function diffLines(before: string, after: string): DiffLine[] {
  const from = linesOf(before);
  const to = linesOf(after);
  let start = 0;
  while (start < from.length && start < to.length && from[start] === to[start]) start += 1;
  let end = 0;
  while (
    end < from.length - start &&
    end < to.length - start &&
    from[from.length - 1 - end] === to[to.length - 1 - end]
  ) {
    end += 1;
  }
  return [
    ...from.slice(0, start).map(same),
    ...diffMiddle(from.slice(start, from.length - end), to.slice(start, to.length - end)),
    ...from.slice(from.length - end).map(same),
  ];
}

/** Computes a diff by the longest common subsequence of the lines, with dynamic programming. */
function diffMiddle(from: readonly string[], to: readonly string[]): DiffLine[] {
  if (from.length * to.length > MAX_PAIRS) return [...from.map(removed), ...to.map(added)];
  const width = to.length + 1;
  const longest = new Uint32Array((from.length + 1) * width);
  const at = (row: number, column: number) => longest[row * width + column] ?? 0;
  for (let row = from.length - 1; row >= 0; row -= 1) {
    for (let column = to.length - 1; column >= 0; column -= 1) {
      longest[row * width + column] =
        from[row] === to[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const lines: DiffLine[] = [];
  let row = 0;
  let column = 0;
  for (const _ of [...from, ...to]) {
    const [before, after] = [from[row], to[column]];
    if (before === undefined && after === undefined) break;
    if (before !== undefined && before === after) {
      lines.push(same(before));
      row += 1;
      column += 1;
    } else if (
      after === undefined ||
      (before !== undefined && at(row + 1, column) >= at(row, column + 1))
    ) {
      lines.push(removed(before ?? ""));
      row += 1;
    } else {
      lines.push(added(after));
      column += 1;
    }
  }
  return lines;
}

function linesOf(text: string): string[] {
  if (text === "") return [];
  return text.replace(/\n$/, "").split("\n");
}

const same = (text: string): DiffLine => ({ type: "same", text });
const added = (text: string): DiffLine => ({ type: "added", text });
const removed = (text: string): DiffLine => ({ type: "removed", text });
