import type { StampedEvent } from "@dt/schema";
import { afterEach, expect, test, vi } from "vitest";
import type { Commit, CommitOutcomes } from "./commit.js";
import { type CommitQueue, createGroupCommit, judgeUnknown } from "./group-commit.js";
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

const at = "2026-01-01T00:00:00.000Z";
const text = { taskId: "task-1", turn: 1, state: "working", at, kind: "TEXT_CONTENT", text: "hi" };
const speech: Partial<Commit> = {
  events: [{ position: 1, epoch: 1, event: text as StampedEvent }],
};
const urgent: Partial<Commit> = { journal: [{ type: "step" }] };

afterEach(() => {
  vi.useRealTimers();
});

/** Opens a store that refuses every group with a commit of the named sessions. */
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

/** Adds a commit to a queue. Resolves when it is committed, and rejects when it is refused. */
const add = (queue: CommitQueue, contextId: string, more: Partial<Commit> = {}) =>
  new Promise<void>((resolve, reject) => {
    queue.add({ ...commit(contextId), ...more }, { onCommitted: resolve, onRefused: reject });
  });

test("appends in the same iteration of the event loop are committed as one group", async () => {
  const store = openPickyStore(new Set());
  const commits = createGroupCommit({ store });
  const [left, right] = [commits.openQueue(), commits.openQueue()];

  await Promise.all([add(left, "a"), add(right, "b"), add(left, "a")]);

  expect(store.groups).toEqual([["a", "b", "a"]]);
});

test("the refused commit of a session does not affect other sessions of its group", async () => {
  const store = openPickyStore(new Set(["bad"]));
  const commits = createGroupCommit({ store });
  const [good, bad] = [commits.openQueue(), commits.openQueue()];

  const outcomes = await Promise.allSettled([
    add(good, "good"),
    add(bad, "bad"),
    add(good, "good"),
  ]);

  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(store.groups).toEqual([["good", "bad", "good"], ["good", "good"], ["bad"]]);
});

test("later commits of a session are refused after a refused commit [LOG-01]", async () => {
  const refused = new Set(["a"]);
  const store = openPickyStore(refused);
  const commits = createGroupCommit({ store });
  const queue = commits.openQueue();
  const first = add(queue, "a");
  const later = first.catch(() => {
    refused.clear();
    return add(queue, "a");
  });

  await expect(first).rejects.toThrow("disk full");
  await expect(later).rejects.toThrow("disk full");

  expect(store.groups).toEqual([["a"]]);
});

test("a refused commit is measured as refused, and its append rejects [LOG-01]", async () => {
  const measured: unknown[] = [];
  const store = openPickyStore(new Set(["bad"]));
  const commits = createGroupCommit({
    store,
    onCommit: ({ appends, isStored }) => measured.push({ appends, isStored }),
  });
  const [good, bad] = [commits.openQueue(), commits.openQueue()];

  const outcomes = await Promise.allSettled([add(good, "good"), add(bad, "bad")]);

  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
  expect(measured).toEqual([
    { appends: 2, isStored: false },
    { appends: 1, isStored: true },
    { appends: 1, isStored: false },
  ]);
});

test("the time of a group is measured, and the group counts as refused if a lease was lost", async () => {
  const measured: unknown[] = [];
  let elapsedMs = 0;
  const commits = createGroupCommit({
    store: {
      async commit(): Promise<CommitOutcomes> {
        elapsedMs += 2_000;
        return new Map([
          ["good", "stored"],
          ["gone", "lost"],
        ]);
      },
      findSession: async () => undefined,
    },
    clock: { elapsedMs: () => elapsedMs },
    onCommit: (group) => measured.push(group),
  });
  elapsedMs = 1_000;

  await Promise.allSettled(["good", "gone"].map((name) => add(commits.openQueue(), name)));

  expect(measured).toEqual([{ appends: 2, seconds: 2, isStored: false }]);
});

test("closing a group commit waits until all appends are committed", async () => {
  const store = openPickyStore(new Set());
  const commits = createGroupCommit({ store });
  void add(commits.openQueue(), "a");

  await commits.close();

  expect(store.groups).toEqual([["a"]]);
});

test("all commits of a session that lost its lease are refused, and other sessions continue", async () => {
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
  const [good, gone] = [commits.openQueue(), commits.openQueue()];

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
  ["lost", "the session has another epoch", { epoch: 2, commitNumber: 9 }],
  ["stored", "it is the last commit", { epoch: 1, commitNumber: 1 }],
  ["stored", "there are later commits", { epoch: 1, commitNumber: 3 }],
  ["absent", "the last commit is earlier", { epoch: 1, commitNumber: 0 }],
  ["absent", "the session is not stored", undefined],
] as const)("a commit of unknown outcome counts as %s if %s", (expected, _, stored) => {
  expect(judgeUnknown({ epoch: 1, number: 1 }, stored)).toBe(expected);
});

const lookups: readonly [string, () => Promise<object | undefined>, string][] = [
  ["committed if it is stored", async () => ({ epoch: 1, commitNumber: 1 }), "committed"],
  [
    "refused if it is absent",
    async () => undefined,
    "broke before a commit of the session a was stored",
  ],
  [
    "refused if the store cannot be read",
    () => Promise.reject(new Error("no connection")),
    "did not say whether it stored the last step of the session a",
  ],
];

test.each(lookups)("a commit of unknown outcome is %s", async (_, lookUp, expected) => {
  const commits = createGroupCommit({
    store: {
      async commit(): Promise<CommitOutcomes> {
        return new Map([["a", "unknown"]]);
      },
      async findSession(): Promise<StoredSession | undefined> {
        return (await lookUp()) as StoredSession | undefined;
      },
    },
  });

  const outcome = await add(commits.openQueue(), "a").then(
    () => "committed",
    (error: Error) => error.message,
  );

  expect(outcome).toContain(expected);
});

/** Creates a group commit on a clock that stands still, and stores a first group of text. */
async function startSpeaking() {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const store = openPickyStore(new Set());
  const commits = createGroupCommit({ store, clock: { elapsedMs: () => 1_000 } });
  const queue = commits.openQueue();
  await add(queue, "first", speech);
  return { store, queue };
}

const nextTurnOfLoop = () => new Promise<void>((resolve) => setImmediate(resolve));

test("a second group of text waits, so that the texts of many sessions share a group", async () => {
  const { store, queue } = await startSpeaking();

  const early = add(queue, "early", speech);
  await nextTurnOfLoop();
  const late = add(queue, "late", speech);
  await nextTurnOfLoop();
  vi.advanceTimersByTime(4);
  await nextTurnOfLoop();
  expect(store.groups).toEqual([["first"]]);
  vi.advanceTimersByTime(1);
  await Promise.all([early, late]);

  expect(store.groups).toEqual([["first"], ["early", "late"]]);
});

test("a commit that is not only text ends the wait of a group of text", async () => {
  const { store, queue } = await startSpeaking();

  const waiting = add(queue, "waiting", speech);
  await nextTurnOfLoop();
  await nextTurnOfLoop();
  await Promise.all([waiting, add(queue, "urgent", urgent)]);

  expect(store.groups).toEqual([["first"], ["waiting", "urgent"]]);
});

test("a commit that is not only text never waits", async () => {
  const { store, queue } = await startSpeaking();

  await add(queue, "urgent", urgent);
  await add(queue, "again", urgent);

  expect(store.groups).toEqual([["first"], ["urgent"], ["again"]]);
});

test("128 commits of text do not wait, so that a fast model is not slowed down", async () => {
  const { store, queue } = await startSpeaking();

  const some = Array.from({ length: 100 }, () => add(queue, "some", speech));
  await nextTurnOfLoop();
  await nextTurnOfLoop();
  expect(store.groups).toHaveLength(1);
  const more = Array.from({ length: 28 }, () => add(queue, "more", speech));
  await Promise.all([...some, ...more]);

  expect(store.groups[1]).toHaveLength(128);
});
