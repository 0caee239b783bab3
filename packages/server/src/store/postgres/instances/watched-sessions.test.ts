import { expect, onTestFinished, test, vi } from "vitest";
import type { Statement } from "../database/open-connections.js";
import { createPostgresInbox } from "./postgres-inbox.js";
import { INBOX_KEY, replyKey, sessionKey } from "./wake-keys.js";
import { createWatchedSessions } from "./watched-sessions.js";

/** Opens the watched sessions and the inbox of an instance, on a database that knows the head of session a. */
function openStage() {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const subscribers = new Set<(keys: ReadonlySet<string>, isAll: boolean) => void>();
  const stage = { queries: [] as unknown[], calls: [] as string[], isAway: false };
  const wakeUps = {
    isListening: false,
    note() {},
    subscribe(callback: (keys: ReadonlySet<string>, isAll: boolean) => void) {
      subscribers.add(callback);
      return () => void subscribers.delete(callback);
    },
    close: async () => {},
  };
  const database = {
    async query({ values = [] }: Statement) {
      stage.queries.push(values[0]);
      if (stage.isAway) throw new Error("the database is away");
      return [{ context_id: "a", last_position: "7" }];
    },
  };
  const parts = { database, schema: "dt", wakeUps };
  const watched = createWatchedSessions(parts);
  return Object.assign(stage, {
    wakeUps,
    subscribers,
    watched,
    inbox: createPostgresInbox({ ...parts, instance: { id: "i" }, pool: "here" }),
    watch: (contextId: string, isNeeded = true) =>
      watched.watch(contextId, {
        isNeeded,
        onWake: () => stage.calls.push(`wake ${contextId}`),
        onPoll: (position) => stage.calls.push(`poll ${contextId} ${position}`),
      }),
    hear(keys: readonly string[], isAll = false) {
      for (const callback of [...subscribers]) callback(new Set(keys), isAll);
    },
    pass: (ms: number) => vi.advanceTimersByTimeAsync(ms),
  });
}

test("a key wakes the watchers of its session, and a call with isAll wakes all [SRV-27]", () => {
  const stage = openStage();
  stage.watch("a");
  stage.watch("b", false);

  stage.hear([sessionKey("b"), sessionKey("absent")]);
  stage.hear([], true);

  expect(stage.calls).toEqual(["wake b", "wake a", "wake b"]);
});

test("one poll reads the heads of all needed sessions, and polls are rarer while wake-ups can arrive", async () => {
  const stage = openStage();
  stage.watch("a");
  stage.watch("b");
  stage.watch("c", false);

  await stage.pass(149);
  const early = stage.queries.length;
  await stage.pass(151);
  const fast = [...stage.queries];
  stage.wakeUps.isListening = true;
  await stage.pass(6 * 150);
  const waiting = stage.queries.length;
  await stage.pass(150);

  expect([early, fast, waiting, stage.queries.length]).toEqual([
    0,
    [
      ["a", "b"],
      ["a", "b"],
    ],
    2,
    3,
  ]);
  expect(stage.calls.slice(0, 2)).toEqual(["poll a 7", "poll b undefined"]);
});

test("polls go on after a fault, and end with the last watch or with the close", async () => {
  const stage = openStage();
  const unwatch = stage.watch("a");
  stage.isAway = true;
  await stage.pass(300);
  stage.isAway = false;
  await stage.pass(150);
  const counts = [stage.queries.length];
  unwatch();
  await stage.pass(1_500);
  stage.hear([sessionKey("a")], true);
  counts.push(stage.queries.length);
  stage.watch("a");
  await stage.pass(150);
  counts.push(stage.queries.length);
  stage.watched.close();
  stage.watch("b");
  await stage.pass(1_500);

  expect([...counts, stage.queries.length]).toEqual([3, 3, 4, 4]);
  expect(stage.calls).toEqual(["poll a 7", "poll a 7"]);
  expect(stage.subscribers.size).toBe(0);
});

test("a session that is needed by nobody costs no query", async () => {
  const stage = openStage();
  stage.watch("a", false);

  await stage.pass(1_500);

  expect(stage.queries).toEqual([]);
});

test("if a session is watched twice, the end of the first watch does not end the second one", async () => {
  const stage = openStage();
  const unwatch = stage.watch("a");
  stage.watch("a");

  unwatch();
  stage.hear([sessionKey("a")]);
  await stage.pass(150);

  expect(stage.calls).toEqual(["wake a", "poll a 7"]);
});

test.each([
  ["its reply", [replyKey("id")], false, 0],
  ["a lost connection", [], true, 0],
  ["the longest wait, in spite of another reply", [replyKey("other")], false, 500],
])("a wait for a reply ends with %s", async (_what, keys, isAll, ms) => {
  const stage = openStage();
  stage.wakeUps.isListening = true;
  const before = stage.subscribers.size;
  let hasEnded = false;
  const waiting = stage.inbox.waitForChange("id").then(() => {
    hasEnded = true;
  });

  await stage.pass(Math.max(0, ms - 1));
  const early = hasEnded;
  stage.hear(keys, isAll);
  if (ms > 0) {
    await stage.pass(0);
    expect(hasEnded).toBe(false);
    await stage.pass(1);
  }
  await waiting;

  expect([early, stage.subscribers.size, vi.getTimerCount()]).toEqual([false, before, 0]);
});

test("a wait for a reply is short while no wake-ups can arrive", async () => {
  const stage = openStage();
  let hasEnded = false;
  const waiting = stage.inbox.waitForChange("id").then(() => {
    hasEnded = true;
  });

  await stage.pass(99);
  const early = hasEnded;
  await stage.pass(1);
  await waiting;

  expect(early).toBe(false);
});

test("a subscriber of the inbox is called at each key of the inbox, and at intervals if no key comes", async () => {
  const stage = openStage();
  let looks = 0;
  const unsubscribe = stage.inbox.subscribe(() => {
    looks += 1;
  });
  const counts: number[] = [];
  const count = () => counts.push(looks);

  stage.hear([replyKey("id")]);
  count();
  stage.hear([INBOX_KEY]);
  stage.hear([], true);
  count();
  await stage.pass(300);
  count();
  stage.wakeUps.isListening = true;
  await stage.pass(199);
  count();
  await stage.pass(1);
  await stage.pass(500);
  count();
  unsubscribe();
  stage.hear([INBOX_KEY]);
  await stage.pass(1_000);
  count();

  expect(counts).toEqual([0, 2, 5, 5, 7, 7]);
});
