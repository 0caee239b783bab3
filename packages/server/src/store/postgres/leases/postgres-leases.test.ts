import { expect, test } from "vitest";
import { LeaseHeld } from "../../lease.js";
import type { Database, Statement } from "../database/open-connections.js";
import { createPostgresLeases } from "./postgres-leases.js";

const ROW = { epoch: 4, last_position: "7", commit_number: "3" };

/** Opens leases on a database whose answers a test decides. */
function openLeases() {
  const stage = {
    id: "instance-1",
    rows: [ROW] as readonly object[],
    isAway: false,
    released: 0,
    statements: [] as Statement[],
    /** Called before each answer. */
    onQuery: async (): Promise<void> => {},
  };
  const leases = createPostgresLeases({
    database: {
      async query(statement: Statement) {
        stage.statements.push(statement);
        await stage.onQuery();
        if (stage.isAway) throw new Error("the database is away");
        return stage.rows;
      },
    } as unknown as Database,
    schema: "dt",
    pool: "pool",
    instance: {
      get id() {
        return stage.id;
      },
      join: async () => {},
    },
    onReleased: () => {
      stage.released += 1;
    },
  });
  return Object.assign(stage, { leases, valuesOf: () => stage.statements.map((s) => s.values) });
}

test("a lease on a stored session has the epoch of its row, and the head is known from then on [SRV-23]", async () => {
  const stage = openLeases();

  const lease = await stage.leases.acquire("context");
  const again = await stage.leases.acquire("context", { takesOver: true });

  expect([lease.epoch, lease.lost.aborted, again.lost.aborted]).toEqual([4, true, false]);
  expect(stage.leases.epochOf("context")).toBe(4);
  expect(stage.leases.heads.get("context")).toEqual({ epoch: 4, position: 7, commitNumber: 3 });
  expect(stage.valuesOf()).toEqual([
    ["context", "instance-1", false, "pool"],
    ["context", "instance-1", true, "pool"],
  ]);
});

test("a session that is not stored has its epoch in memory, and its release needs no statement [SRV-23]", async () => {
  const stage = openLeases();
  stage.rows = [];

  const first = await stage.leases.acquire("context");
  const second = await stage.leases.acquire("context", { takesOver: true });
  await second.release();
  const third = await stage.leases.acquire("context");

  expect([first, second, third].map(({ epoch }) => epoch)).toEqual([1, 2, 1]);
  expect(stage.leases.heads.size).toBe(0);
  expect([stage.statements.length, stage.released]).toEqual([3, 0]);
});

test("a session that another instance holds is refused, and can be acquired later [SRV-23]", async () => {
  const stage = openLeases();
  stage.rows = [{ ...ROW, epoch: null }];

  await expect(stage.leases.acquire("context")).rejects.toBeInstanceOf(LeaseHeld);
  stage.rows = [ROW];

  expect((await stage.leases.acquire("context")).epoch).toBe(4);
});

test("a session is acquired once at a time", async () => {
  const stage = openLeases();
  let answer = () => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  stage.onQuery = () => held;
  const first = stage.leases.acquire("context");

  for (const takesOver of [false, true]) {
    await expect(stage.leases.acquire("context", { takesOver })).rejects.toThrow(
      "the session context is being opened already; try again",
    );
  }
  answer();

  expect((await first).lost.aborted).toBe(false);
});

test("a lease that was acquired while the lease of the instance ended is lost [SRV-23]", async () => {
  const stage = openLeases();
  stage.onQuery = async () => {
    stage.id = "instance-2";
  };

  const lease = await stage.leases.acquire("context");

  expect(lease.lost.aborted).toBe(true);
  expect(stage.leases.epochOf("context")).toBeUndefined();
  expect(stage.leases.heads.has("context")).toBe(false);
});

test("a release frees the session once, and notifies other instances [SRV-27]", async () => {
  const stage = openLeases();
  const lease = await stage.leases.acquire("context");

  await lease.release();
  await lease.release();
  stage.leases.retryReleases();

  expect(stage.valuesOf().slice(1)).toEqual([["context", "instance-1", 4]]);
  expect(stage.released).toBe(1);
  expect(stage.leases.heads.has("context")).toBe(false);
});

test("a release that does not reach the database is repeated until it does [SRV-23]", async () => {
  const stage = openLeases();
  const lease = await stage.leases.acquire("context");
  stage.isAway = true;
  await lease.release();
  stage.leases.retryReleases();
  await new Promise(setImmediate);
  const early = stage.released;
  stage.isAway = false;

  stage.leases.retryReleases();
  await new Promise(setImmediate);
  stage.leases.retryReleases();

  expect([early, stage.released]).toEqual([0, 1]);
  expect(stage.statements).toHaveLength(4);
});

test("the release of a lease that was taken over frees nothing", async () => {
  const stage = openLeases();
  const first = await stage.leases.acquire("context");
  stage.rows = [{ ...ROW, epoch: 5 }];
  await stage.leases.acquire("context", { takesOver: true });

  await first.release();

  expect(stage.statements).toHaveLength(2);
  expect(stage.leases.epochOf("context")).toBe(5);
});
