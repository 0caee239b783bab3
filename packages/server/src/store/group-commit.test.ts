import { expect, test } from "vitest";
import type { Commit, CommitOutcomes } from "./commit.js";
import { type CommitLane, createGroupCommit, judgeUnknown } from "./group-commit.js";
import type { StoredSession } from "./session-store.js";

const commit = (contextId: string): Commit => ({
  contextId,
  epoch: 1,
  number: 1,
  expectedHead: 0,
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
      return new Map(names.map((name) => [name, "stored" as const]));
    },
    findSession: async () => undefined,
  };
}

/** A lane as a promise. */
const add = (lane: CommitLane, contextId: string) =>
  new Promise<void>((resolve, reject) => {
    lane.add(commit(contextId), { onCommitted: resolve, onRefused: reject });
  });

test("appends of one moment are one commit, in order", async () => {
  const store = openPickyStore(new Set());
  const commits = createGroupCommit({ store });
  const [left, right] = [commits.openLane(), commits.openLane()];

  await Promise.all([add(left, "a"), add(right, "b"), add(left, "a")]);

  expect(store.groups).toEqual([["a", "b", "a"]]);
});

test("one session's fault is not another's", async () => {
  const store = openPickyStore(new Set(["bad"]));
  const commits = createGroupCommit({ store });
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
  const commits = createGroupCommit({ store });
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
  const commits = createGroupCommit({
    store,
    onCommit: ({ appends, isStored }) => measured.push({ appends, isStored }),
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
  const commits = createGroupCommit({ store });
  void add(commits.openLane(), "a");

  await commits.close();

  expect(store.groups).toEqual([["a"]]);
});

test("a session that is lost is refused alone, and nothing more of it is committed", async () => {
  const groups: string[][] = [];
  const commits = createGroupCommit({
    store: {
      async commit(group) {
        groups.push(group.map(({ contextId }) => contextId));
        return new Map([
          ["good", "stored"],
          ["gone", "lost"],
        ]);
      },
      findSession: async () => undefined,
    },
  });
  const [good, gone] = [commits.openLane(), commits.openLane()];

  const outcomes = await Promise.allSettled([add(good, "good"), add(gone, "gone")]);
  const later = add(gone, "gone");

  expect(outcomes).toMatchObject([
    { status: "fulfilled" },
    { status: "rejected", reason: { code: "agent-busy" } },
  ]);
  await expect(later).rejects.toThrow("taken over by another process");
  expect(groups).toEqual([["good", "gone"]]);
});

test.each([
  ["the epoch is another one", { epoch: 2, commitNumber: 9 }, "lost"],
  ["the commit is there", { epoch: 1, commitNumber: 1 }, "stored"],
  ["later commits are there", { epoch: 1, commitNumber: 3 }, "stored"],
  ["the commit is not there", { epoch: 1, commitNumber: 0 }, "absent"],
  ["there is no session", undefined, "absent"],
] as const)("the outcome of a commit is read back: %s", (_, stored, expected) => {
  expect(judgeUnknown({ epoch: 1, number: 1 }, stored)).toBe(expected);
});

const looks: readonly [string, () => Promise<object | undefined>, string][] = [
  ["stored", async () => ({ epoch: 1, commitNumber: 1 }), "committed"],
  ["absent", async () => undefined, "the connection broke before a was stored"],
  [
    "unreachable",
    () => Promise.reject(new Error("no connection")),
    "it is not known whether the last step of the session a was stored",
  ],
];

test.each(looks)(
  "a connection that breaks is followed by a look: %s",
  async (_, look, expected) => {
    const commits = createGroupCommit({
      store: {
        async commit(): Promise<CommitOutcomes> {
          return new Map([["a", "unknown"]]);
        },
        async findSession(): Promise<StoredSession | undefined> {
          return (await look()) as StoredSession | undefined;
        },
      },
    });

    const told = await add(commits.openLane(), "a").then(
      () => "committed",
      (error: Error) => error.message,
    );

    expect(told).toContain(expected);
  },
);
