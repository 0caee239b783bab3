import type { ViewItem } from "@dt/schema";
import { expect, test } from "vitest";
import type { Key } from "../keys/decode-keys.js";
import { createEarlierItems } from "./earlier-items.js";
import {
  advancePager,
  INITIAL_PAGER_STATE,
  type PagerState,
  pagerEntries,
  pagerKeyStep,
  pagerStatus,
} from "./pager-state.js";

const item = (content: string): ViewItem => ({
  at: content,
  event: { kind: "CONSOLE_LOG", log: { type: "info", content } },
});
const ALL = ["a", "b", "c", "d"].map(item);
const RECENT = { items: ALL.slice(2), earlierItems: 2, ends: [] };
const LOADED = {
  type: "loaded",
  earlier: createEarlierItems(ALL),
  ends: [],
  recent: RECENT,
} as const;
/** Ten items of three lines each, on a screen of six lines. */
const PAGE = { content: { count: 10, linesOf: () => 3 }, height: 6 };
const at = (item: number, line: number): PagerState => ({
  ...INITIAL_PAGER_STATE,
  position: { item, line },
});

test.each<[string, PagerState, number, PagerState["position"]]>([
  ["up from the end", INITIAL_PAGER_STATE, -1, { item: 7, line: 2 }],
  ["down within an item", at(0, 0), 2, { item: 0, line: 2 }],
  ["down to the next item", at(0, 2), 1, { item: 1, line: 0 }],
  ["no further than the beginning", at(0, 1), -9, { item: 0, line: 0 }],
  ["to the end, where the pager follows new items", at(0, 0), Number.POSITIVE_INFINITY, undefined],
  ["no further than the end, where the pager follows new items", at(7, 2), 1, undefined],
])("scrolling moves the position %s", (_, state, lines, position) => {
  expect(advancePager(state, { type: "scroll", lines, page: PAGE }).position).toEqual(position);
});

test("loaded items are added before the items of the view", () => {
  const before = pagerEntries(INITIAL_PAGER_STATE, RECENT);
  const after = pagerEntries(advancePager(INITIAL_PAGER_STATE, LOADED), RECENT);

  expect([before.length, after]).toEqual([2, ALL.map(({ event }) => event)]);
});

test("loading earlier items keeps the same item at the top of the page", () => {
  expect(advancePager(at(1, 2), LOADED).position).toEqual({ item: 3, line: 2 });
});

test("loading earlier items does not move a pager that is at the end of the history", () => {
  expect(advancePager(INITIAL_PAGER_STATE, LOADED).position).toBeUndefined();
});

test.each([
  ["while they are loaded", INITIAL_PAGER_STATE, "history 2/9 · loading earlier items … · "],
  ["after they are loaded", advancePager(INITIAL_PAGER_STATE, LOADED), "history 2/9 · ↑↓"],
  [
    "after a failure",
    advancePager(INITIAL_PAGER_STATE, { type: "load-failed" }),
    "history 2/9 · earlier items could not be loaded · ",
  ],
])("the status line says whether earlier items are still loading: %s", (_, state, status) => {
  expect(pagerStatus(state, { item: 1, line: 0 }, 9)).toContain(status);
});

test.each<[name: string, step: number | "close", key: Key]>([
  ["Up", -1, { type: "key", name: "up" }],
  ["Enter", 1, { type: "key", name: "enter" }],
  ["Page Down", 6, { type: "key", name: "page-down" }],
  ["Home", Number.NEGATIVE_INFINITY, { type: "key", name: "home" }],
  ["Escape", "close", { type: "key", name: "escape" }],
  ["q", "close", { type: "text", text: "q" }],
  ["G", Number.POSITIVE_INFINITY, { type: "text", text: "G" }],
  ["Ctrl-B", -6, { type: "ctrl", letter: "b" }],
  ["Ctrl-C", "close", { type: "ctrl", letter: "c" }],
])("the key %s in a pager of six lines causes the step %s", (_, step, key) => {
  expect(pagerKeyStep(key, 6)).toBe(step);
});

test.each<[name: string, key: Key]>([
  ["Left", { type: "key", name: "left" }],
  ["x", { type: "text", text: "x" }],
  ["Ctrl-X", { type: "ctrl", letter: "x" }],
])("the key %s has no effect in the pager", (_, key) => {
  expect(pagerKeyStep(key, 6)).toBeUndefined();
});
