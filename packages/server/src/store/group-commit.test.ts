import { expect, test } from "vitest";
import { type CommitLane, createGroupCommit } from "./group-commit.js";
import type { Commit } from "./session-store.js";

const commit = (contextId: string): Commit => ({
  contextId,
  events: [],
  journal: [],
  isCritical: false,
});

/** A store that refuses whatever holds one of the named sessions. */
function openPickyStore(refused: ReadonlySet<string>) {
  const groups: string[][] = [];
  return {
    groups,
    async commit(commits: readonly Commit[]) {
      const names = commits.map(({ contextId }) => contextId);
      groups.push(names);
      if (names.some((name) => refused.has(name))) throw new Error("disk full");
    },
  };
}

/** A lane as a promise. */
const add = (lane: CommitLane, contextId: string) =>
  new Promise<void>((resolve, reject) => {
    lane.add(commit(contextId), { onCommitted: resolve, onRefused: reject });
  });

test("appends of one moment are one commit, in order", async () => {
  const store = openPickyStore(new Set());
  const commits = createGroupCommit(store);
  const [left, right] = [commits.openLane(), commits.openLane()];

  await Promise.all([add(left, "a"), add(right, "b"), add(left, "a")]);

  expect(store.groups).toEqual([["a", "b", "a"]]);
});

test("one session's fault is not another's", async () => {
  const store = openPickyStore(new Set(["bad"]));
  const commits = createGroupCommit(store);
  const [good, bad] = [commits.openLane(), commits.openLane()];

  const outcomes = await Promise.allSettled([
    add(good, "good"),
    add(bad, "bad"),
    add(good, "good"),
  ]);

  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(store.groups).toEqual([["good", "bad", "good"], ["good", "good"], ["bad"]]);
});

test("after a refused commit nothing of its session is committed, whatever was on its way [LOG-01]", async () => {
  const refused = new Set(["a"]);
  const store = openPickyStore(refused);
  const commits = createGroupCommit(store);
  const lane = commits.openLane();
  const first = add(lane, "a");
  const later = first.catch(() => {
    refused.clear();
    return add(lane, "a");
  });

  await expect(first).rejects.toThrow("disk full");
  await expect(later).rejects.toThrow("disk full");

  expect(store.groups).toEqual([["a"]]);
});

test("a refused commit is measured as refused, and its session is told [LOG-01]", async () => {
  const measured: unknown[] = [];
  const store = openPickyStore(new Set(["bad"]));
  const commits = createGroupCommit(store, ({ appends, isStored }) => {
    measured.push({ appends, isStored });
  });
  const [good, bad] = [commits.openLane(), commits.openLane()];

  const outcomes = await Promise.allSettled([add(good, "good"), add(bad, "bad")]);

  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
  expect(measured).toEqual([
    { appends: 2, isStored: false },
    { appends: 1, isStored: true },
    { appends: 1, isStored: false },
  ]);
});

test("close waits for what was added", async () => {
  const store = openPickyStore(new Set());
  const commits = createGroupCommit(store);
  void add(commits.openLane(), "a");

  await commits.close();

  expect(store.groups).toEqual([["a"]]);
});
