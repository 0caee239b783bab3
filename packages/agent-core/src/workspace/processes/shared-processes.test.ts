import { expect, test } from "vitest";
import type { ProcessEntry } from "./process-table.js";
import { openProcessTree } from "./process-tree.js";
import { createSharedProcesses } from "./shared-processes.js";

/** Creates a table of processes with one mark each. Counts how often the processes and marks are read. */
function openSystem(count: number) {
  const entries: ProcessEntry[] = Array.from({ length: count }, (_, at) => ({
    pid: 1_000_000 + at,
    parent: 1,
    group: 1,
    startedAt: "1",
    name: "sleep",
  }));
  const counts = { listings: 0, marks: 0 };
  let now = 0;
  const table = createSharedProcesses({
    now: () => now,
    async list() {
      counts.listings += 1;
      return entries;
    },
    async readMarks(pid) {
      counts.marks += 1;
      return [`mark-${pid}`];
    },
  });
  const pass = (ms: number) => {
    now += ms;
  };
  return { entries, counts, table, pass };
}

test("32 simultaneous commands share two listings and read each process once [SEC-09]", async () => {
  const { entries, counts, table } = openSystem(32);
  const trees = entries.map(({ pid }) =>
    openProcessTree({ pid: 2, marker: `mark-${pid}` }, { table }),
  );

  const found = await Promise.all(trees.map((tree) => tree.living()));

  // The first command starts a listing. All other commands share the next listing.
  expect(counts).toEqual({ listings: 2, marks: 32 });
  expect(found.map((each) => each.map(({ pid }) => pid))).toEqual(entries.map(({ pid }) => [pid]));

  await Promise.all(trees.map((tree) => tree.living()));
  expect(counts).toEqual({ listings: 4, marks: 32 });
});

test("if a listing is running, current() waits for its end and starts another listing", async () => {
  const { counts, table } = openSystem(1);
  const first = table.current();

  const second = table.current();

  expect(await second).toEqual(await first);
  expect(counts.listings).toBe(2);
});

test("recent() returns the last listing again until it is too old [SEC-09]", async () => {
  const { counts, table, pass } = openSystem(1);

  for (let at = 0; at < 32; at += 1) await table.recent(500);
  expect(counts.listings).toBe(1);

  pass(501);
  for (let at = 0; at < 32; at += 1) await table.recent(500);
  expect(counts.listings).toBe(2);
});

test("marks that are not known yet are read again, and marks of ended processes are dropped", async () => {
  const { entries, table } = openSystem(1);
  const [entry] = entries;
  const results = [undefined, ["mark"]];
  const slow = createSharedProcesses({
    now: () => 0,
    list: async () => [],
    readMarks: async () => results.shift(),
  });

  expect([await slow.marksOf(entry!), await slow.marksOf(entry!)]).toEqual([[], ["mark"]]);
  await slow.current();
  expect(await slow.marksOf(entry!)).toEqual([]);
  expect(await table.marksOf(entry!)).toEqual(["mark-1000000"]);
});
