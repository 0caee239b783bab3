import type { ItemEvent } from "@dt/schema";
import type { PlacedNotice } from "../history/advance-transcript.js";

/** What a pager shows: something that happened, or how a turn ended. */
export type HistoryEntry = ItemEvent | PlacedNotice;

/** Items from a place on, each end of a turn among them where it came; what is told twice once. Pure. */
export function mergeHistory(
  items: readonly ItemEvent[],
  firstPlace: number,
  ends: readonly PlacedNotice[],
): readonly HistoryEntry[] {
  const known = new Map<string, PlacedNotice>();
  for (const end of ends) {
    const name = `${end.place} ${end.text}`;
    if (end.place >= firstPlace && !known.has(name)) known.set(name, end);
  }
  const sorted = [...known.values()].sort((one, other) => one.place - other.place);
  const merged: HistoryEntry[] = [];
  let next = 0;
  for (const [index, item] of items.entries()) {
    for (let end = sorted[next]; end && end.place <= firstPlace + index; end = sorted[next]) {
      merged.push(end);
      next += 1;
    }
    merged.push(item);
  }
  return [...merged, ...sorted.slice(next)];
}
