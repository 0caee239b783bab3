import { expect, test } from "vitest";
import { openMemoryStore } from "../store/memory/open-memory-store.js";
import { createAuditBook } from "./audit-book.js";
import { createAuditLog } from "./audit-log.js";
import { mergeByTime } from "./merge-by-time.js";
import { readAuditLines } from "./read-audit-lines.js";

const NOON = new Date("2026-01-31T12:00:00.000Z");
const CALLER = { user: "ada", name: "ada/laptop", credential: "token:1", role: "admin" } as const;

async function readAll<TItem>(items: AsyncIterable<TItem>): Promise<readonly TItem[]> {
  const all: TItem[] = [];
  for await (const item of items) all.push(item);
  return all;
}

function openLog() {
  const store = openMemoryStore();
  const time = { ms: 0 };
  const faults: unknown[] = [];
  const audit = createAuditLog({
    store,
    clock: { now: () => new Date(NOON.getTime() + time.ms), elapsedMs: () => time.ms },
    onFault: (reason) => faults.push(reason),
  });
  return {
    audit,
    store,
    time,
    faults,
    async lines() {
      await audit.close();
      return await readAll(readAuditLines(store, ""));
    },
  };
}

test("the same refusal within a minute is one record with a count [TEAM-05]", async () => {
  const { audit, time, lines } = openLog();
  const entry = { kind: "refusal", address: "192.0.2.9", detail: "no token" } as const;

  for (let count = 0; count < 1_000; count += 1) audit.record(entry);
  time.ms = 59_000;
  audit.record(entry);
  time.ms = 60_000;
  audit.record(entry);

  expect(await lines()).toEqual([
    {
      at: "2026-01-31T12:00:00.000Z",
      lastAt: "2026-01-31T12:00:59.000Z",
      count: 1_001,
      ...entry,
    },
    { at: "2026-01-31T12:01:00.000Z", ...entry },
  ]);
});

test("a flood of different refusals takes a bounded number of records", () => {
  const book = createAuditBook();

  for (let index = 0; index < 5_000; index += 1) {
    book.add({ kind: "refusal", address: `192.0.2.${index}` }, NOON);
  }
  const records = book.take();

  expect(records).toHaveLength(1_001);
  expect(records.at(-1)).toMatchObject({ kind: "refusal", subject: "others", count: 4_000 });
  expect(book.take()).toEqual([]);
});

test("texts of clients are stored up to a length", () => {
  const book = createAuditBook();

  book.add({ kind: "refusal", name: "x".repeat(100_000) }, NOON);

  expect(book.take()[0]?.name).toHaveLength(200);
});

test("a sign-in is recorded once an hour for each credential and address [TEAM-05]", async () => {
  const { audit, time, lines } = openLog();

  audit.recordSignIn(CALLER, "192.0.2.7");
  audit.recordSignIn(CALLER, "192.0.2.7");
  audit.recordSignIn(CALLER, "192.0.2.8");
  time.ms = 3_600_000;
  audit.recordSignIn(CALLER, "192.0.2.7");

  const found = await lines();
  expect(found.map(({ at, address, user }) => [at.slice(11, 16), user, address])).toEqual(
    expect.arrayContaining([
      ["12:00", "ada", "192.0.2.7"],
      ["12:00", "ada", "192.0.2.8"],
      ["13:00", "ada", "192.0.2.7"],
    ]),
  );
  expect(found).toHaveLength(3);
});

test("a fault of the store is reported, and the log goes on", async () => {
  const { audit, store, faults } = openLog();
  await store.close();

  audit.record({ kind: "refusal" });
  await audit.close();

  expect(faults).toHaveLength(1);
});

test("sources are merged by time, and equal times keep every item", async () => {
  async function* source(...times: readonly string[]) {
    yield* times.map((at) => ({ at }));
  }

  const merged = await readAll(
    mergeByTime([source("1", "4", "4"), source(), source("2", "3", "5"), source("4")]),
  );

  expect(merged.map(({ at }) => at)).toEqual(["1", "2", "3", "4", "4", "4", "5"]);
});
