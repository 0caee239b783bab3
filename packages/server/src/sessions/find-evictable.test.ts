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
  [
    "a session that was unused for five minutes leaves memory",
    [use("a", 300_000), use("b", 299_999)],
    ["a"],
  ],
  ["a session with a running turn stays in memory", [use("a", 900_000, { isBusy: true })], []],
  ["a session with a subscriber stays in memory", [use("a", 900_000, { subscribers: 1 })], []],
  [
    "the session that was unused longest leaves memory if there are too many sessions",
    [use("a", 80_000), use("b", 90_000), use("c", 1_000)],
    ["b"],
  ],
  [
    "a session that was unused for 70 seconds leaves memory if there are too many sessions",
    [use("a", 70_000), use("b", 69_999), use("c", 69_999), use("d", 69_999)],
    ["a"],
  ],
  [
    "sessions that were just used stay in memory even if there are too many of them",
    [use("a", 9), use("b", 9), use("c", 9)],
    [],
  ],
])("%s [SRV-21]", (_case, sessions, evictable) => {
  expect(findEvictable(sessions, now, limits)).toEqual(evictable);
});
