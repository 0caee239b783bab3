import type { ItemEvent } from "@dt/schema";
import type { TurnEndNotice } from "../history/advance-transcript.js";

/** One entry of the pager: an item, or the end of a turn. */
export type HistoryEntry = ItemEvent | TurnEndNotice;

/**
 * Merges the ends of turns into the items. The items may lack the start of the conversation: `firstIndex` is
 * the number of items before `items[0]`. Notices about turns that ended before `items[0]` are dropped, and
 * each notice is merged only once. Pure.
 */
export function mergeHistory(
  items: readonly ItemEvent[],
  firstIndex: number,
  ends: readonly TurnEndNotice[],
): readonly HistoryEntry[] {
  const known = new Map<string, TurnEndNotice>();
  for (const end of ends) {
    const key = `${end.itemIndex} ${end.text}`;
    if (end.itemIndex >= firstIndex && !known.has(key)) known.set(key, end);
  }
  const sorted = [...known.values()].sort((one, other) => one.itemIndex - other.itemIndex);
  const merged: HistoryEntry[] = [];
  let next = 0;
  for (const [index, item] of items.entries()) {
    for (let end = sorted[next]; end && end.itemIndex <= firstIndex + index; end = sorted[next]) {
      merged.push(end);
      next += 1;
    }
    merged.push(item);
  }
  return [...merged, ...sorted.slice(next)];
}
