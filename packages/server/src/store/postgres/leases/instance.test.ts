import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Database, Statement } from "../database/open-connections.js";
import { createInstance } from "./instance.js";

const LEASE_MS = 15_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Opens an instance. A test can make the database fail, or end the lease in the database. */
function openInstance(leaseMs = LEASE_MS) {
  const stage = {
    wallMs: 1_000_000,
    elapsedMs: 0,
    isAway: false,
    hasEnded: false,
    expired: 0,
    renewed: 0,
    statements: [] as Statement[],
    /** Holds back the answers of the database until it resolves. */
    hold: undefined as Promise<void> | undefined,
  };
  const query = async (statement: Statement) => {
    stage.statements.push(statement);
    await stage.hold;
    if (stage.isAway) throw new Error("the database is away");
    return statement.text.startsWith("UPDATE") && !stage.hasEnded ? [{ id: "row" }] : [];
  };
  const instance = createInstance({
    database: { query } as unknown as Database,
    schema: "dt",
    name: "host-1",
    leaseMs,
    clock: { now: () => new Date(stage.wallMs), elapsedMs: () => stage.elapsedMs },
    onExpired: () => {
      stage.expired += 1;
    },
    onRenewed: () => {
      stage.renewed += 1;
    },
  });
  return Object.assign(stage, {
    instance,
    kinds: () => stage.statements.map(({ text }) => /^\w+/.exec(text)?.[0]),
    async pass(ms: number, hand: "both" | "wallMs" | "elapsedMs" = "both") {
      if (hand !== "elapsedMs") stage.wallMs += ms;
      if (hand !== "wallMs") stage.elapsedMs += ms;
      await vi.advanceTimersByTimeAsync(500);
    },
  });
}

test("a lease is renewed when a third of it is over, and not before [SRV-23]", async () => {
  const stage = openInstance();
  const before = stage.instance.isLive();
  await stage.instance.join();
  await stage.instance.join();

  await stage.pass(4_999);
  const early = stage.kinds();
  await stage.pass(1);
  await stage.pass(4_999);

  expect([before, stage.instance.isLive()]).toEqual([false, true]);
  expect(early).toEqual(["WITH"]);
  expect(stage.kinds()).toEqual(["WITH", "UPDATE"]);
  expect([stage.renewed, stage.expired]).toEqual([2, 0]);
  expect(stage.statements.map(({ values }) => values)).toEqual([
    [stage.instance.id, LEASE_MS, "host-1", true],
    [stage.instance.id, LEASE_MS],
  ]);
  await stage.instance.close();
});

test("a failed renewal is repeated at each tick until the database answers [SRV-23]", async () => {
  const stage = openInstance();
  await stage.instance.join();

  stage.isAway = true;
  await stage.pass(5_000);
  await stage.pass(100);
  const whileAway = [stage.instance.fault, stage.statements.length];
  stage.isAway = false;
  await stage.pass(100);
  await stage.pass(100);

  expect(whileAway).toEqual([new Error("the database is away"), 3]);
  expect(stage.statements).toHaveLength(4);
  expect([stage.instance.fault, stage.renewed, stage.expired]).toEqual([undefined, 2, 0]);
  await stage.instance.close();
});

test.each(["wallMs", "elapsedMs"] as const)(
  "without a renewal, a lease ends after nine tenths of its time by %s, and the process joins again [SRV-23]",
  async (hand) => {
    const stage = openInstance();
    await stage.instance.join();
    const { id } = stage.instance;
    stage.isAway = true;

    await stage.pass(13_499, hand);
    const before = [stage.instance.isLive(), stage.expired, stage.instance.id === id];
    await stage.pass(1, hand);
    const after = [stage.instance.isLive(), stage.expired, stage.instance.id === id];
    stage.isAway = false;
    await stage.pass(1, hand);

    expect(before).toEqual([true, 0, true]);
    expect(after).toEqual([false, 1, false]);
    expect([stage.instance.isLive(), stage.expired]).toEqual([true, 1]);
    // The earlier lease of this process must expire by itself.
    expect(stage.statements.at(-1)?.values).toEqual([stage.instance.id, LEASE_MS, "host-1", false]);
    await stage.instance.close();
  },
);

test("a process loses its sessions when a renewal finds the lease ended in the database [SRV-23]", async () => {
  const stage = openInstance();
  await stage.instance.join();
  const { id } = stage.instance;

  stage.hasEnded = true;
  await stage.pass(5_000);

  expect([stage.instance.isLive(), stage.expired]).toEqual([false, 1]);
  expect(stage.instance.id).not.toBe(id);
  await stage.instance.close();
  expect(stage.kinds()).toEqual(["WITH", "UPDATE"]);
});

test("a renewal that finds the lease ended does not count as renewed [SRV-23]", async () => {
  const stage = openInstance();
  await stage.instance.join();

  stage.hasEnded = true;
  await stage.pass(5_000);

  expect([stage.expired, stage.renewed]).toEqual([1, 1]);
  await stage.instance.close();
});

test("a join registers again if the renewal that is under way is answered too late [SRV-23]", async () => {
  const stage = openInstance();
  await stage.instance.join();
  let answer = () => {};
  stage.hold = new Promise((resolve) => {
    answer = resolve;
  });
  await stage.pass(5_000);
  stage.elapsedMs += LEASE_MS;

  const joining = stage.instance.join();
  stage.hold = undefined;
  answer();
  await joining;

  expect([stage.instance.isLive(), stage.expired, stage.renewed]).toEqual([true, 1, 2]);
  expect(stage.kinds()).toEqual(["WITH", "UPDATE", "WITH"]);
  await stage.instance.close();
});

test("joining detects that the lease has ended, even before the next tick", async () => {
  const stage = openInstance();
  await stage.instance.join();
  const { id } = stage.instance;

  stage.elapsedMs += LEASE_MS;
  await stage.instance.join();

  expect([stage.instance.isLive(), stage.expired]).toEqual([true, 1]);
  expect(stage.instance.id).not.toBe(id);
  await stage.instance.close();
});

test("a join rejects while the database is unreachable, and simultaneous joins share one statement", async () => {
  const stage = openInstance();
  stage.isAway = true;
  await expect(stage.instance.join()).rejects.toThrow("the database is away");
  expect(stage.instance.isLive()).toBe(false);

  stage.isAway = false;
  await Promise.all([stage.instance.join(), stage.instance.join()]);

  expect(stage.statements).toHaveLength(2);
  await stage.instance.close();
});

test("closing removes the row and ends renewals, and succeeds if the database is unreachable", async () => {
  const stage = openInstance();
  await stage.instance.join();
  const { id } = stage.instance;

  await stage.instance.close();
  await stage.instance.close();
  await stage.pass(LEASE_MS);

  expect(stage.kinds()).toEqual(["WITH", "DELETE"]);
  expect(stage.statements.at(-1)?.values).toEqual([id]);
  const away = openInstance();
  await away.instance.join();
  away.isAway = true;
  await expect(away.instance.close()).resolves.toBeUndefined();
});

test("a close waits for a running join, and leaves no lease behind", async () => {
  const stage = openInstance();
  let answer = () => {};
  stage.hold = new Promise((resolve) => {
    answer = resolve;
  });
  const joining = stage.instance.join();

  const closing = stage.instance.close();
  answer();
  await Promise.all([joining, closing]);
  await stage.pass(LEASE_MS);

  expect(stage.instance.isLive()).toBe(false);
  expect(stage.kinds()).toEqual(["WITH", "DELETE"]);
});

test("a short lease is checked thirty times in its length [SRV-23]", async () => {
  const stage = openInstance(3_000);
  await stage.instance.join();
  stage.isAway = true;
  stage.elapsedMs = 1_000;
  const before = stage.statements.length;

  await vi.advanceTimersByTimeAsync(3_000);

  expect(stage.statements.length - before).toBe(30);
  await stage.instance.close();
});
