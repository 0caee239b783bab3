/** Position of the first line that a pager shows: the index of an item and of a line in that item. */
export interface PagerPosition {
  readonly item: number;
  readonly line: number;
}

/** The content of a pager: the number of items, and the number of lines of each item. */
export interface PagerContent {
  readonly count: number;
  linesOf(item: number): number;
}

/** Moves a position by some lines. The result is between the first line and the start of the last page. */
export function movePager(
  content: PagerContent,
  from: PagerPosition,
  lines: number,
  height: number,
): PagerPosition {
  const moved = lines < 0 ? moveBack(content, from, -lines) : forward(content, from, lines);
  const last = lastPage(content, height);
  return isBefore(last, moved) ? last : moved;
}

/** Returns the position at which the last page begins. */
export function lastPage(content: PagerContent, height: number): PagerPosition {
  const end: PagerPosition = { item: content.count, line: 0 };
  return moveBack(content, end, height);
}

function forward(content: PagerContent, from: PagerPosition, lines: number): PagerPosition {
  let { item, line } = from;
  let left = lines;
  while (item < content.count) {
    const rest = content.linesOf(item) - line;
    if (left < rest) return { item, line: line + left };
    left -= rest;
    item += 1;
    line = 0;
  }
  return { item, line };
}

function moveBack(content: PagerContent, from: PagerPosition, lines: number): PagerPosition {
  let { item, line } = from;
  let left = lines;
  while (left > line) {
    if (item === 0) return { item: 0, line: 0 };
    left -= line;
    item -= 1;
    line = content.linesOf(item);
  }
  return { item, line: line - left };
}

function isBefore(one: PagerPosition, other: PagerPosition): boolean {
  return one.item < other.item || (one.item === other.item && one.line < other.line);
}
