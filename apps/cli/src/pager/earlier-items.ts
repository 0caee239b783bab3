import type { ViewItem } from "@dt/schema";

/** A complete history, from which the items before a view can be taken. */
export interface EarlierItems {
  /** Returns the items before those of a view. */
  before(recent: readonly ViewItem[]): readonly ViewItem[];
}

/**
 * Joins a history with views of it by the items that both hold. Indexes cannot be compared, because a view
 * that began with a snapshot counts from there. Pure.
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
      // Items of the view before the first that occurs exactly once in the history.
      let held = 0;
      for (const item of recent) {
        const key = keyOf(item);
        const index = indexes.get(key);
        if (index === undefined) continue;
        if (!repeated.has(key)) return items.slice(0, Math.max(0, index - held));
        held += 1;
      }
      return items.slice(0, items.length - held);
    },
  };
}

function keyOf({ at, event }: ViewItem): string {
  if (event.kind === "USER_PROMPT") return `${event.kind} ${event.messageId}`;
  if (event.kind === "TOOL_CALL_UPDATE") return `${event.kind} ${event.toolCall.toolCallId}`;
  // A text still grows, so its content does not identify it.
  return event.kind === "TEXT_CONTENT" ? `${event.kind} ${at}` : JSON.stringify([at, event]);
}
