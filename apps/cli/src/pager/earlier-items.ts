import type { ViewItem } from "@dt/schema";

/** Finds the items of a complete history that come before a view. */
export interface EarlierItems {
  /** Returns the items of the history that come before the items of a view. */
  before(recent: readonly ViewItem[]): readonly ViewItem[];
}

/**
 * Locates a view in a history by an item that both contain. Indexes cannot be compared, because a view that
 * began with a snapshot counts its items from that snapshot. Pure.
 */
export function createEarlierItems(items: readonly ViewItem[]): EarlierItems {
  const indexes = new Map<string, number>();
  const repeated = new Set<string>();
  for (const [index, item] of items.entries()) {
    const key = keyOf(item);
    if (indexes.has(key)) repeated.add(key);
    indexes.set(key, index);
  }
  return {
    before(recent) {
      // An item that occurs several times in the history does not show where the view begins. The loop
      // therefore counts such items until it finds an item that occurs once. In the history, the view begins
      // that many items before the item found.
      let repeatedItems = 0;
      for (const item of recent) {
        const key = keyOf(item);
        const index = indexes.get(key);
        if (index === undefined) continue;
        if (!repeated.has(key)) return items.slice(0, Math.max(0, index - repeatedItems));
        repeatedItems += 1;
      }
      return items.slice(0, items.length - repeatedItems);
    },
  };
}

function keyOf({ at, event }: ViewItem): string {
  if (event.kind === "USER_PROMPT") return `${event.kind} ${event.messageId}`;
  if (event.kind === "TOOL_CALL_UPDATE") return `${event.kind} ${event.toolCall.toolCallId}`;
  // A text may still grow, so its time identifies it, not its content.
  return event.kind === "TEXT_CONTENT" ? `${event.kind} ${at}` : JSON.stringify([at, event]);
}
