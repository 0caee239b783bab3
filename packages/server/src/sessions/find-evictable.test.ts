import { expect, test } from "vitest";
import { findEvictable, type SessionUse } from "./find-evictable.js";

const limits = { sessionIdleMs: 300_000, maxSessionsInMemory: 2, maxWaitMs: 60_000 };
const now = 1_000_000;

const use = (contextId: string, idleMs: number, about: Partial<SessionUse> = {}): SessionUse => ({
  contextId,
  usedAt: now - idleMs,
  isBusy: false,
  subscribers: 0,
  ...about,
});

test.each<[string, readonly SessionUse[], readonly string[]]>([
  ["nobody used it for long", [use("a", 300_000), use("b", 299_999)], ["a"]],
  ["a turn runs", [use("a", 900_000, { isBusy: true })], []],
  ["it has a subscriber", [use("a", 900_000, { subscribers: 1 })], []],
  [
    "there are too many: the one unused longest",
    [use("a", 80_000), use("b", 90_000), use("c", 1_000)],
    ["b"],
  ],
  ["there are too many, but all were just used", [use("a", 9), use("b", 9), use("c", 9)], []],
])("a session leaves memory when %s [SRV-21]", (_case, sessions, evictable) => {
  expect(findEvictable(sessions, now, limits)).toEqual(evictable);
});
