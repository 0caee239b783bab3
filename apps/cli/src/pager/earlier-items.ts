import type { ViewItem } from "@dt/schema";

/** A history that was read whole, and what of it a view does not hold. */
export interface EarlierItems {
  /** What came before the items of a view. */
  before(recent: readonly ViewItem[]): readonly ViewItem[];
}

/**
 * Joins a history with views of it by what stands in both: a view that began with a snapshot counts from
 * there. Pure.
 */
export function createEarlierItems(items: readonly ViewItem[]): EarlierItems {
  const places = new Map<string, number>();
  const repeated = new Set<string>();
  for (const [place, item] of items.entries()) {
    const name = nameOf(item);
    if (places.has(name)) repeated.add(name);
    places.set(name, place);
  }
  return {
    before(recent) {
      // Items of the view before the first that can be told from all others, and that the history has.
      let held = 0;
      for (const item of recent) {
        const name = nameOf(item);
        const place = places.get(name);
        if (place === undefined) continue;
        if (!repeated.has(name)) return items.slice(0, Math.max(0, place - held));
        held += 1;
      }
      return items.slice(0, items.length - held);
    },
  };
}

function nameOf({ at, event }: ViewItem): string {
  if (event.kind === "USER_PROMPT") return `${event.kind} ${event.messageId}`;
  if (event.kind === "TOOL_CALL_UPDATE") return `${event.kind} ${event.toolCall.toolCallId}`;
  // A text grows; all else is told whole.
  return event.kind === "TEXT_CONTENT" ? `${event.kind} ${at}` : JSON.stringify([at, event]);
}
