import type { ViewItem } from "@dt/schema";
import type { TurnEndNotice } from "../history/advance-transcript.js";
import type { Key } from "../keys/decode-keys.js";
import type { EarlierItems } from "./earlier-items.js";
import { type HistoryEntry, mergeHistory } from "./merge-history.js";
import { lastPage, movePager, type PagerContent, type PagerPosition } from "./pager-position.js";

/** State of a pager, without the items of the session's view. */
export interface PagerState {
  /** The first line that is shown; undefined while the pager is at the end and follows new items. */
  readonly position?: PagerPosition;
  /** Progress of reading the items before the view. */
  readonly loading: "running" | "done" | "failed";
  /** The items before the view, once they are read. */
  readonly earlier?: EarlierItems;
  /** Ends of turns in the loaded history. */
  readonly earlierEnds: readonly TurnEndNotice[];
}

/** The state of a pager that was just opened: at the end of the history. */
export const INITIAL_PAGER_STATE: PagerState = { loading: "running", earlierEnds: [] };

/** One thing that happens to a pager. */
export type PagerStep =
  | { readonly type: "scroll"; readonly lines: number; readonly page: PagerPage }
  | {
      readonly type: "loaded";
      readonly earlier: EarlierItems;
      readonly ends: readonly TurnEndNotice[];
      readonly recent: RecentItems;
    }
  | { readonly type: "load-failed" };

/** The content that is paged through, and the height of a page. */
export interface PagerPage {
  readonly content: PagerContent;
  readonly height: number;
}

/** The items of the session's view, and the ends of turns that the screen has seen. */
export interface RecentItems {
  readonly items: readonly ViewItem[];
  readonly earlierItems: number;
  readonly ends: readonly TurnEndNotice[];
}

/** Returns the state after a step. Pure. */
export function advancePager(state: PagerState, step: PagerStep): PagerState {
  switch (step.type) {
    case "scroll":
      return scroll(state, step.lines, step.page);
    case "loaded": {
      const { earlier, ends, recent } = step;
      const loaded: PagerState = { ...state, loading: "done", earlier, earlierEnds: ends };
      if (state.position === undefined) return loaded;
      // The loaded items come before the item at the position, so the index of that item grows.
      const found = pagerEntries(loaded, recent).length - pagerEntries(state, recent).length;
      const { item, line } = state.position;
      return { ...loaded, position: { item: item + found, line } };
    }
    case "load-failed":
      return { ...state, loading: "failed" };
  }
}

/** Lists everything that a pager shows, oldest first. Pure. */
export function pagerEntries(state: PagerState, recent: RecentItems): readonly HistoryEntry[] {
  const before = state.earlier?.before(recent.items) ?? [];
  // The screen may count items from a snapshot, but the history counts items from its first item.
  const offset = before.length - recent.earlierItems;
  const seen = recent.ends.map((end) => ({ ...end, itemIndex: end.itemIndex + offset }));
  const events = [...before, ...recent.items].map(({ event }) => event);
  return mergeHistory(events, 0, [...state.earlierEnds, ...seen]);
}

/** Returns the text of the status line below the page. Pure. */
export function pagerStatus({ loading }: PagerState, top: PagerPosition, count: number): string {
  const progress = {
    running: " · loading earlier items …",
    failed: " · earlier items could not be loaded",
    done: "",
  }[loading];
  return `history ${Math.min(top.item + 1, count)}/${count}${progress} · ↑↓ PgUp PgDn g G · q closes`;
}

function scroll(state: PagerState, lines: number, { content, height }: PagerPage): PagerState {
  const last = lastPage(content, height);
  const next = movePager(content, state.position ?? last, lines, height);
  const { position: _, ...rest } = state;
  const isAtEnd = next.item === last.item && next.line === last.line;
  return isAtEnd ? rest : { ...rest, position: next };
}

/** Returns the number of lines that a key scrolls, or `close`; undefined if the key has no effect. Pure. */
export function pagerKeyStep(key: Key, height: number): number | "close" | undefined {
  if (key.type === "ctrl") {
    if (key.letter === "o" || key.letter === "c") return "close";
    if (key.letter === "f") return height;
    return key.letter === "b" ? -height : undefined;
  }
  if (key.type === "text") {
    const steps: Readonly<Record<string, number | "close">> = {
      q: "close",
      j: 1,
      k: -1,
      " ": height,
      b: -height,
      g: -Infinity,
      G: Infinity,
    };
    return steps[key.text];
  }
  if (key.type !== "key") return undefined;
  switch (key.name) {
    case "escape":
      return "close";
    case "up":
      return -1;
    case "down":
    case "enter":
      return 1;
    case "page-up":
      return -height;
    case "page-down":
      return height;
    case "home":
      return -Infinity;
    case "end":
      return Infinity;
    default:
      return undefined;
  }
}
