import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { PushRecord } from "../../store/push-record.js";
import { createAlarm, MAX_TIMER_MS } from "./alarm.js";
import { createDueClaims, type DueClaims } from "./claim-due.js";

const START = Date.parse("2026-01-01T00:00:00.000Z");

beforeEach(() => {
  vi.useFakeTimers({ now: START });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Milliseconds since the start. */
const elapsed = () => Date.now() - START;

test("an alarm rings once, at the earliest time that it was set to", () => {
  const rings: number[] = [];
  const alarm = createAlarm(() => rings.push(elapsed()), Date.now);

  alarm.setFor(START + 500);
  alarm.setFor(START + 300);
  alarm.setFor(START + 300);
  alarm.setFor(START + 400);
  vi.advanceTimersByTime(1_000);
  alarm.setFor(START + 900);
  vi.advanceTimersByTime(0);
  alarm.setFor(START + 1_000 + MAX_TIMER_MS + 5);
  vi.advanceTimersByTime(MAX_TIMER_MS - 1);
  const before = [...rings];
  vi.advanceTimersByTime(1);
  alarm.setFor(Number.POSITIVE_INFINITY);
  vi.advanceTimersByTime(MAX_TIMER_MS);

  expect(before).toEqual([300, 1_000]);
  // The last ring is early, because a timer of Node cannot wait longer. The claims then set the alarm again.
  expect(rings).toEqual([300, 1_000, 1_000 + MAX_TIMER_MS]);
  expect(MAX_TIMER_MS).toBe(2_147_483_647);
});

test("an alarm that is closed never rings", () => {
  const rings: number[] = [];
  const alarm = createAlarm(() => rings.push(elapsed()), Date.now);

  alarm.setFor(START + 10);
  alarm.close();
  alarm.setFor(START + 20);
  vi.advanceTimersByTime(1_000);

  expect(rings).toEqual([]);
});

/** Creates claims on a store that a test fills. Each call of `onClaimDue` claims again, as a sender does. */
function openClaims({
  room = 5,
  contextId,
}: {
  room?: number;
  contextId?: string | undefined;
} = {}) {
  const stage = {
    room,
    /** Times of the next attempts, in ms since the start. */
    waiting: [] as readonly number[],
    isBroken: false,
    claimed: [] as { at: number; limit: number; contextId: string | undefined; found: unknown }[],
    faults: [] as string[],
    rings: [] as number[],
  };
  const claims: DueClaims = createDueClaims({
    contextId,
    now: () => new Date(),
    room: () => stage.room,
    onDue(pushes) {
      stage.room -= pushes.length;
    },
    onClaimDue() {
      stage.rings.push(elapsed());
      void claims.claim();
    },
    onFault: (reason) => stage.faults.push((reason as Error).message),
    store: {
      async claimPushes(due) {
        if (stage.isBroken) throw new Error("disk full");
        const at = Date.parse(due.now) - START;
        const found = stage.waiting.filter((moment) => moment <= at).slice(0, due.limit);
        stage.waiting = stage.waiting.filter((moment) => !found.includes(moment));
        stage.claimed.push({ at, limit: due.limit, contextId: due.contextId, found });
        return found.map((moment) => ({ configId: `${moment}` }) as PushRecord);
      },
      async countWaitingPushes(scope) {
        expect(scope).toEqual({ contextId });
        const [next] = stage.waiting.toSorted((one, other) => one - other);
        const nextAt = next === undefined ? {} : { nextAt: new Date(START + next).toISOString() };
        return { count: stage.waiting.length, ...nextAt };
      },
    },
  });
  return Object.assign(stage, { claims });
}

test("configs are claimed when they are due, and not before", async () => {
  const stage = openClaims({ contextId: "c" });
  stage.waiting = [0, 100, 5_000];

  await stage.claims.claim();
  await vi.advanceTimersByTimeAsync(10_000);

  const about = { contextId: "c" };
  expect(stage.claimed).toEqual([
    { ...about, at: 0, limit: 5, found: [0] },
    { ...about, at: 100, limit: 4, found: [100] },
    { ...about, at: 5_000, limit: 3, found: [5_000] },
  ]);
});

test("claims run at the times that were set, in the order of these times", async () => {
  const stage = openClaims();
  await stage.claims.claim();
  stage.waiting = [700, 300];

  stage.claims.setFor(START + 700);
  stage.claims.setFor(START + 300);
  await vi.advanceTimersByTimeAsync(10_000);

  expect(stage.rings).toEqual([300, 700]);
});

test("the configs that did not fit into a claim are claimed soon, when there is room", async () => {
  const stage = openClaims({ room: 300 });
  stage.waiting = Array.from({ length: 400 }, (_, index) => -index);

  await stage.claims.claim();
  await vi.advanceTimersByTimeAsync(10);
  const full = stage.claimed.map(({ at, limit }) => [at, limit]);
  await vi.advanceTimersByTimeAsync(999);
  const waits = stage.claimed.length;
  await vi.advanceTimersByTimeAsync(1);
  stage.room = 100;
  stage.claims.claimIfRoom();
  await vi.advanceTimersByTimeAsync(0);

  expect(full).toEqual([
    [0, 256],
    [10, 44],
  ]);
  expect(waits).toBe(2);
  expect(stage.claimed.slice(2).map(({ at, limit }) => [at, limit])).toEqual([
    [1_010, 0],
    [1_010, 100],
  ]);
  expect(stage.waiting).toEqual([]);
});

test("claimIfRoom schedules a claim only if configs wait for room and there is room", async () => {
  const stage = openClaims({ room: 1 });
  await stage.claims.claim();

  stage.claims.claimIfRoom();
  await vi.advanceTimersByTimeAsync(500);
  const unneeded = [...stage.rings];
  stage.room = 0;
  stage.claims.markWaitingForRoom();
  stage.claims.claimIfRoom();
  await vi.advanceTimersByTimeAsync(100);
  const withoutRoom = [...stage.rings];
  stage.room = 1;
  stage.claims.claimIfRoom();
  await vi.advanceTimersByTimeAsync(0);

  expect([unneeded, withoutRoom, stage.rings]).toEqual([[], [], [600]]);
});

test("configs that wait for room are claimed within a second", async () => {
  const stage = openClaims();

  stage.claims.markWaitingForRoom();
  await vi.advanceTimersByTimeAsync(5_000);

  expect(stage.rings).toEqual([1_000]);
});

test("a claim that failed is repeated after one second", async () => {
  const stage = openClaims();
  stage.isBroken = true;
  stage.waiting = [0];

  await stage.claims.claim();
  await vi.advanceTimersByTimeAsync(1_500);
  stage.isBroken = false;
  await vi.advanceTimersByTimeAsync(1_500);

  expect(stage.faults).toEqual(["disk full", "disk full"]);
  expect(stage.claimed).toMatchObject([{ at: 2_000, found: [0] }]);
});

test("no claim becomes due after the claims were closed", async () => {
  const stage = openClaims();
  stage.waiting = [100];
  await stage.claims.claim();

  stage.claims.close();
  stage.claims.setFor(START);
  await vi.advanceTimersByTimeAsync(5_000);

  expect(stage.rings).toEqual([]);
});
