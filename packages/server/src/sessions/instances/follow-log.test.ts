import { expect, test } from "vitest";
import { openSessionLog } from "../../log/session-log.js";
import type { SessionWatcher } from "../../store/instances/instance-store.js";
import type { EventQuery, LogEvent } from "../../store/session-store.js";
import { event, session } from "../../testing/store-checks.js";
import { followLog } from "./follow-log.js";

const logged = (position: number, epoch = 1): LogEvent => ({
  position,
  epoch,
  event: event(position),
});

/** Opens a log at a position, and its follower. Another instance writes `events`. */
function openFollower(lastPosition: number) {
  const stage = {
    events: [] as LogEvent[],
    reads: [] as number[],
    faults: [] as unknown[],
    diverged: 0,
    elapsedMs: 100_000,
    watched: [] as string[],
    isAway: false,
    /** Called at each read. */
    onRead: (): unknown => undefined,
    /** Each read takes until this resolves. */
    hold: Promise.resolve() as Promise<unknown>,
  };
  let watcher: SessionWatcher | undefined;
  const store = {
    findView: async () => undefined,
    saveView: async () => {},
    async readEvents({ after, limit }: EventQuery) {
      stage.reads.push(after);
      const page = stage.events.filter(({ position }) => position > after).slice(0, limit);
      await stage.hold;
      stage.onRead();
      if (stage.isAway) throw new Error("the store is away");
      return page;
    },
  };
  const log = openSessionLog({ session, lastPosition, store });
  const follower = followLog({
    log,
    store,
    instances: {
      watch(contextId, given) {
        stage.watched.push(contextId);
        watcher = given;
        return () => {
          stage.watched.pop();
        };
      },
    },
    elapsedMs: () => stage.elapsedMs,
    onDiverged: () => {
      stage.diverged += 1;
    },
    onFault: (reason) => stage.faults.push(reason),
  });
  if (watcher === undefined) throw new Error("the log is not watched");
  return Object.assign(stage, { log, follower, watcher });
}

const settled = () => new Promise(setImmediate);

test("a refresh announces all stored events, page after page [SRV-27]", async () => {
  const stage = openFollower(0);
  stage.events = Array.from({ length: 300 }, (_, index) => logged(index + 1));

  await stage.follower.refresh();

  expect([stage.log.lastPosition, stage.reads, stage.diverged]).toEqual([300, [0, 255], 0]);
});

test("a refresh reads the last known event again, and announces only later ones [SRV-27]", async () => {
  const stage = openFollower(2);
  stage.events = [logged(1), logged(2)];

  await stage.follower.refresh();
  const before = stage.log.version;
  stage.events.push(logged(3, 2));
  await stage.follower.refresh();
  await stage.follower.refresh();

  expect([stage.log.lastPosition, stage.reads]).toEqual([3, [1, 1, 2]]);
  expect(stage.log.version).toBe(before + 1);
  expect(stage.diverged).toBe(0);
});

test.each([
  ["was replaced by another writer", [logged(1), logged(2, 2), logged(3, 2)]],
  ["is missing", [logged(1), logged(3)]],
  ["was deleted with its session", []],
])("a log diverges if its last event %s", async (_what, events) => {
  const stage = openFollower(2);
  stage.events = [logged(1), logged(2)];
  await stage.follower.refresh();

  stage.events = events;
  await stage.follower.refresh();

  expect([stage.diverged, stage.log.lastPosition]).toEqual([1, 2]);
});

test("a new session that is not stored yet does not diverge", async () => {
  const stage = openFollower(0);

  await stage.follower.refresh();

  expect([stage.diverged, stage.log.lastPosition]).toEqual([0, 0]);
});

test("a wake-up causes a read only while somebody subscribes, or for some seconds after a request", async () => {
  const stage = openFollower(0);
  const outcomes: unknown[] = [];
  const look = async () => {
    stage.watcher.onWake();
    await settled();
    outcomes.push([stage.watcher.isNeeded, stage.reads.length]);
  };

  await look();
  await stage.follower.refresh();
  stage.elapsedMs += 4_999;
  await look();
  stage.elapsedMs += 1;
  await look();
  const unsubscribe = stage.log.subscribers.add(() => {});
  await look();
  unsubscribe();
  await look();

  expect(outcomes).toEqual([
    [false, 0],
    [true, 2],
    [false, 2],
    [true, 3],
    [false, 3],
  ]);
});

test("a poll causes a read only if the stored position differs from the position of the log", async () => {
  const stage = openFollower(0);
  stage.events = [logged(1)];
  await stage.follower.refresh();
  const before = stage.reads.length;

  stage.watcher.onPoll(1);
  await settled();
  const same = stage.reads.length;
  stage.watcher.onPoll(2);
  await settled();
  stage.watcher.onPoll(undefined);
  await settled();

  expect([same - before, stage.reads.length - before]).toEqual([0, 2]);
});

test("a change that is noted during a read is read before the refresh ends", async () => {
  const stage = openFollower(0);
  stage.events = [logged(1)];
  stage.onRead = () => {
    stage.onRead = () => {};
    stage.events.push(logged(2));
    stage.watcher.onWake();
  };

  await stage.follower.refresh();

  expect([stage.log.lastPosition, stage.reads]).toEqual([2, [0, 0]]);
});

test("a fault of the store after a wake-up is reported, and a fault of a refresh reaches the caller", async () => {
  const stage = openFollower(0);
  stage.isAway = true;

  await expect(stage.follower.refresh()).rejects.toThrow("the store is away");
  stage.watcher.onWake();
  await settled();

  expect(stage.faults).toEqual([new Error("the store is away")]);
});

test("a stopped follower announces nothing, not even from a read that was under way", async () => {
  const stage = openFollower(0);
  stage.events = [logged(1)];
  const order: string[] = [];
  stage.hold = settled();
  stage.onRead = () => order.push("read");

  const refreshed = stage.follower.refresh();
  const watchedBefore = [...stage.watched];
  const stopped = stage.follower.stop().then(() => order.push("stopped"));
  await Promise.all([refreshed, stopped]);
  await stage.follower.refresh();

  expect([watchedBefore, stage.watched]).toEqual([["context"], []]);
  expect([stage.log.lastPosition, stage.reads]).toEqual([0, [0]]);
  expect(order).toEqual(["read", "stopped"]);
});

test("events are not announced to a log that was closed during the read", async () => {
  const stage = openFollower(1);
  stage.onRead = () => stage.log.close();

  await stage.follower.refresh();

  expect([stage.diverged, stage.log.lastPosition]).toEqual([0, 1]);
});

test("a refresh at any moment of an earlier one announces what was stored before it [SRV-27]", async () => {
  for (let delay = 0; delay < 24; delay += 1) {
    const stage = openFollower(0);
    stage.events = [logged(1)];
    const earlier = stage.follower.refresh();
    for (let turn = 0; turn < delay; turn += 1) await Promise.resolve();
    stage.events.push(logged(2));

    await stage.follower.refresh();
    const found = stage.log.lastPosition;
    await earlier;

    expect([delay, found]).toEqual([delay, 2]);
  }
});
