import { entryLines } from "../history/entry-lines.js";
import { type ItemOptions, itemLines } from "../history/item-lines.js";
import type { Line } from "../text/span.js";
import type { HistoryEntry } from "./merge-history.js";
import type { PagerContent, PagerPosition } from "./pager-position.js";

/** Stores the lines of entries, so that each entry is laid out once. */
export interface EntryCache {
  /** Returns the number of entries, and the number of lines of each entry. A pager needs both to scroll. */
  contentOf(entries: readonly HistoryEntry[]): PagerContent;
  /** Returns the lines of the page that begins at a position. */
  pageOf(entries: readonly HistoryEntry[], top: PagerPosition, height: number): readonly Line[];
  /** Removes all stored lines; called when the width has changed. */
  clear(): void;
}

/** Creates an empty cache; `options` returns the current options of the layout. */
export function createEntryCache(options: () => ItemOptions): EntryCache {
  let linesByEntry = new WeakMap<HistoryEntry, readonly Line[]>();

  function linesOf(entry: HistoryEntry): readonly Line[] {
    const known = linesByEntry.get(entry);
    if (known !== undefined) return known;
    const lines = "kind" in entry ? itemLines(entry, options()) : entryLines(entry, options());
    const spaced = [...lines, []];
    linesByEntry.set(entry, spaced);
    return spaced;
  }

  return {
    contentOf: (entries) => ({
      count: entries.length,
      linesOf(item) {
        const entry = entries[item];
        return entry === undefined ? 0 : linesOf(entry).length;
      },
    }),
    pageOf(entries, top, height) {
      const page: Line[] = [];
      for (let item = top.item; item < entries.length && page.length < height; item += 1) {
        const entry = entries[item];
        const first = item === top.item ? top.line : 0;
        if (entry !== undefined) page.push(...linesOf(entry).slice(first));
      }
      return page.slice(0, height);
    },
    clear() {
      linesByEntry = new WeakMap();
    },
  };
}
